// expect: race-shared, uninit-read, wrong-values
// why: the barrier on line 11 comes before the wait, so another thread's copies of line 9 may be under way on line 13
// line: 11, 9, 13
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __pipeline_memcpy_async(&s[4 * t], &x[256 * tile + 4 * t], 16);
        __pipeline_commit();
        __syncthreads();
        __pipeline_wait_prior(0);
        for (int k = t; k < 256; k += 64) y[256 * tile + k] = s[255 - k] + s[(256 - k) % 256];
        __syncthreads();
    }
}
