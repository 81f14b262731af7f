// expect: accepted
// why: every thread has its own copy of the structure, so changing it is no race
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
__device__ __noinline__ void forward(Particle* p, Step* step) {
    step->dt *= 0.5f;
    for (int half = 0; half < 2; ++half) {
        p->x += p->vx * step->dt;
        p->y += p->vy * step->dt;
    }
    step->dt *= 2.0f;
}
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    Particle mine = before[i];
    forward(&mine, &step);
    step.n -= 1;
    float square = 0.0f;
    if (i < step.n) {
        Particle next = before[i + 1];
        forward(&next, &step);
        float dx = next.x - mine.x, dy = next.y - mine.y;
        square = dx * dx + dy * dy;
    }
    mine.vx *= 0.5f;
    mine.vy -= step.dt;
    after[i] = mine;
    gap[i] = square;
}
