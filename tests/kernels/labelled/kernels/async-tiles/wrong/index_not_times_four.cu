// expect: misaligned
// why: line 9 copies 16 bytes at every single number instead of every fourth
// line: 9
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        for (int k = 0; k < 256; k += 64) __pipeline_memcpy_async(&s[k + t], &x[256 * tile + k + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = t; k < 256; k += 64) y[256 * tile + k] = s[255 - k] + s[(256 - k) % 256];
        __syncthreads();
    }
}
