// expect: accepted
// why: a particle is 16 bytes and lies at a multiple of 16, so it may be read as one float4
struct Step { int n; float dt; };
__device__ float4 moved(float4 p, float dt) { return {p.x + p.z * dt, p.y + p.w * dt, p.z / 2, p.w - dt}; }
extern "C" __global__ void particles(const float4* before, float4* after, float* gap, Step step) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < step.n; i += gridDim.x * blockDim.x) {
        float4 mine = moved(before[i], step.dt), next = moved(before[min(i + 1, step.n - 1)], step.dt);
        after[i] = mine;
        gap[i] = (next.x - mine.x) * (next.x - mine.x) + (next.y - mine.y) * (next.y - mine.y);
    }
}
