// expect: oob-read, oob-write
// why: with the member mass on line 4 a particle has 20 bytes, and the array on line 16 is read past its end
// line: 4, 16
struct Particle { float x, y, vx, vy, mass; };
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
        Particle next = moved(before[i + 1], step);
        float dx = next.x - mine.x, dy = next.y - mine.y;
        square = dx * dx + dy * dy;
    }
    gap[i] = square;
}
