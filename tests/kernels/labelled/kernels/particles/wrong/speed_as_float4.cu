// expect: misaligned
// why: line 12 reads 16 bytes at the third member, which lies at no multiple of 16
// line: 12
struct Particle { float x, y, vx, vy; };
struct Step { int n; float dt; };
extern "C" __global__ void particles(const Particle* before, Particle* after, float* gap, Step step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= step.n) return;
    Particle p = before[i];
    float square = 0.0f;
    if (i + 1 < step.n) {
        float4 both = *(const float4*)&before[i].vx;  // the speed, and the place of the next one
        float dx = both.z + before[i + 1].vx * step.dt - (p.x + both.x * step.dt);
        float dy = both.w + before[i + 1].vy * step.dt - (p.y + both.y * step.dt);
        square = dx * dx + dy * dy;
    }
    after[i] = {p.x + p.vx * step.dt, p.y + p.vy * step.dt, p.vx * 0.5f, p.vy - step.dt};
    gap[i] = square;
}
