// expect: oob-read, uninit-read, illegal, wrong-values, output-untouched
// why: line 11 gives away the address of a structure that ends with the function
// line: 11, 6, 20, 23
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
__device__ __noinline__ const Particle* moved(Particle p, Step step) {
    p.x += p.vx * step.dt;
    p.y += p.vy * step.dt;
    p.vx *= 0.5f;
    p.vy -= step.dt;
    return &p;
}
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    const Particle* mine = moved(before[i], step);
    float square = 0.0f;
    if (i + 1 < step.n) {
        const Particle* next = moved(before[i + 1], step);
        float dx = next->x - mine->x, dy = next->y - mine->y;
        square = dx * dx + dy * dy;
    }
    after[i] = *mine;
    gap[i] = square;
}
