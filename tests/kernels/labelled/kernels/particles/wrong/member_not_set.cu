// expect: uninit-read, output-untouched, wrong-values
// why: the structure on line 7 gets no vy before line 17 stores it
// line: 7, 17
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
__device__ Particle moved(const Particle& p, Step step) {
    Particle to;
    to.x = p.x + p.vx * step.dt;
    to.y = p.y + p.vy * step.dt;
    to.vx = p.vx * 0.5f;
    return to;
}
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    Particle mine = moved(before[i], step);
    after[i] = mine;
    float square = 0.0f;
    if (i + 1 < step.n) {
        Particle next = moved(before[i + 1], step);
        float dx = next.x - mine.x, dy = next.y - mine.y;
        square = dx * dx + dy * dy;
    }
    gap[i] = square;
}
