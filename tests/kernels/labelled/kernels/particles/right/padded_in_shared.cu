// expect: accepted
// why: whole structures are copied with their padding, which nobody has written and nobody uses
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
struct Marked { char is_last; double x, y; };
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    __shared__ Marked all[129];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < 129 && blockIdx.x * 128 + k < step.n; k += 128) {
        Particle p = before[blockIdx.x * 128 + k];
        Marked marked;
        marked.is_last = blockIdx.x * 128 + k == step.n - 1;
        marked.x = p.x + p.vx * step.dt;
        marked.y = p.y + p.vy * step.dt;
        all[k] = marked;
    }
    __syncthreads();
    if (i >= step.n) return;
    Marked mine = all[t], next = mine;
    if (!mine.is_last) next = all[t + 1];
    Particle p = before[i];
    after[i] = {(float)mine.x, (float)mine.y, p.vx * 0.5f, p.vy - step.dt};
    gap[i] = (float)((next.x - mine.x) * (next.x - mine.x) + (next.y - mine.y) * (next.y - mine.y));
}
