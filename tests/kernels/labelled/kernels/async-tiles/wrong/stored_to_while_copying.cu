// expect: race-shared, wrong-values
// why: line 11 stores to the buffer that line 9 is still filling
// line: 11, 9
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __pipeline_memcpy_async(&s[4 * t], &x[256 * tile + 4 * t], 16);
        __pipeline_commit();
        for (int k = t; k < 256; k += 64) s[k] = 0;
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = t; k < 256; k += 64) y[256 * tile + k] = s[255 - k] + s[(256 - k) % 256];
        __syncthreads();
    }
}
