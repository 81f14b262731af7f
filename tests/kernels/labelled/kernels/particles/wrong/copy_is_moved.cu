// expect: wrong-values
// why: the function on line 5 gets a copy of the particle, so what it changes is lost
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
__device__ void move(Particle p, Step step) {
    p.x += p.vx * step.dt;
    p.y += p.vy * step.dt;
    p.vx *= 0.5f;
    p.vy -= step.dt;
}
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    Particle mine = before[i];
    move(mine, step);
    after[i] = mine;
    float square = 0.0f;
    if (i + 1 < step.n) {
        Particle next = before[i + 1];
        move(next, step);
        float dx = next.x - mine.x, dy = next.y - mine.y;
        square = dx * dx + dy * dy;
    }
    gap[i] = square;
}
