// expect: accepted
// why: each thread reads what it has copied itself, and the last number of the part before by a copy of its own
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[64][8];
    int t = threadIdx.x, *mine = s[t];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int* from = &x[256 * tile];
        __pipeline_memcpy_async(mine, from + 4 * t, 16);
        __pipeline_memcpy_async(mine + 4, from + 4 * (t + 1) % 256, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        for (int k = 0; k < 4; ++k) y[256 * tile + 255 - 4 * t - k] = mine[k] + mine[k + 1];
    }
}
