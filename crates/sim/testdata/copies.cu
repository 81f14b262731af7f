#include <cuda_pipeline_primitives.h>
// Tiles of 256 floats in two stages: each thread copies four floats, and sums what others copied.
extern "C" __global__ void staged(const float* in, float* out, int tiles) {
    __shared__ alignas(16) float stage[2][256];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&stage[0][4 * t], in + 4 * t, 16);
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) __pipeline_memcpy_async(&stage[(k + 1) % 2][4 * t], in + 256 * (k + 1) + 4 * t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = 0; i < 4; i++) sum += stage[k % 2][(t + 64 * i) % 256];
        __syncthreads();
    }
    out[t] = sum;
}
// The wait is missing: what is read is what was there before.
extern "C" __global__ void unwaited(const float* in, float* out) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    tile[t] = -1;
    __pipeline_memcpy_async(&tile[t], in + t, 4);
    __pipeline_commit();
    __syncthreads();
    out[t] = tile[63 - t];
}
// The end of the input is filled with zeros.
extern "C" __global__ void tail(const float* in, float* out, int n) {
    __shared__ alignas(16) float tile[128];
    int t = threadIdx.x;
    int have = min(max(n - 4 * t, 0), 4);
    __pipeline_memcpy_async(&tile[4 * t], in + (have ? 4 * t : 0), 16, 16 - 4 * have);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < 4; i++) out[t + 32 * i] = tile[t + 32 * i];
}
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
// Warp 0 fills, the others wait by parity; every phase goes both ways.
extern "C" __global__ void handed(int* out, int rounds) {
    __shared__ alignas(8) unsigned long long full, empty;
    __shared__ int cell[32];
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&full)) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&empty)) : "memory");
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < rounds; k++) {
        unsigned done = 0;
        if (t < 32) {
            if (k > 0) while (!done)
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                             : "=r"(done) : "r"(at(&empty)), "r"((k - 1) & 1) : "memory");
            cell[t] = k * 100 + t;
            unsigned long long state;
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&full)) : "memory");
        } else {
            while (!done)
                asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                             : "=r"(done) : "r"(at(&full)), "r"(k & 1) : "memory");
            sum += cell[63 - t];
            unsigned long long state;
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&empty)) : "memory");
        }
    }
    out[t] = sum;
}
// All threads copy, and wait by the state of an mbarrier.
extern "C" __global__ void counted(const int* in, int* out) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at(&bar)) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[t])), "l"(in + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    unsigned long long state;
    unsigned done = 0;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(&bar)), "l"(state) : "memory");
    unsigned pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[t] = tile[63 - t] + (pending >= 1 && pending <= 64 ? 0 : 1000);
}
