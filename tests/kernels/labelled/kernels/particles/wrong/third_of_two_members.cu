// expect: oob-read, uninit-read, wrong-values
// why: the structure has two numbers, and line 9 reads a third
// line: 9, 19
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
struct Pair { float of[2]; };
__device__ __noinline__ float sum(Pair pair, int count) {
    float all = 0.0f;
    for (int k = 0; k < count; ++k) all += pair.of[k] * pair.of[k];
    return all;
}
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    Particle p = before[i], q = before[min(i + 1, step.n - 1)];
    p = {p.x + p.vx * step.dt, p.y + p.vy * step.dt, p.vx / 2, p.vy - step.dt};
    Pair between = {q.x + q.vx * step.dt - p.x, q.y + q.vy * step.dt - p.y};
    after[i] = p;
    gap[i] = sum(between, i + 1 < step.n ? 3 : 2);
}
