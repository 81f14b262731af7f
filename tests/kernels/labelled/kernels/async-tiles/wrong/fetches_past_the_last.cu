// expect: oob-read
// why: line 11 fetches a next tile also where this one is the last
// line: 11
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[2][256];
    int t = threadIdx.x, stage = 0;
    __pipeline_memcpy_async(&s[0][4 * t], &x[256 * blockIdx.x + 4 * t], 16);
    __pipeline_commit();
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage ^= 1) {
        __pipeline_memcpy_async(&s[stage ^ 1][4 * t], &x[256 * (tile + gridDim.x) + 4 * t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = t; k < 256; k += 64) y[256 * tile + k] = s[stage][255 - k] + s[stage][(256 - k) % 256];
        __syncthreads();
    }
}
