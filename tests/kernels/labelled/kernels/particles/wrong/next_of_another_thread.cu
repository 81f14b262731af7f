// expect: race-global, uninit-read, wrong-values
// why: line 20 reads the moved particle that another thread stores on line 17, and nothing makes it wait
// line: 20, 17
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
__device__ Particle moved(Particle p, Step step) {
    p.x += p.vx * step.dt;
    p.y += p.vy * step.dt;
    p.vx *= 0.5f;
    p.vy -= step.dt;
    return p;
}
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    Particle mine = moved(before[i], step);
    after[i] = mine;
    float square = 0.0f;
    if (i + 1 < step.n) {
        Particle next = after[i + 1];
        float dx = next.x - mine.x, dy = next.y - mine.y;
        square = dx * dx + dy * dy;
    }
    gap[i] = square;
}
