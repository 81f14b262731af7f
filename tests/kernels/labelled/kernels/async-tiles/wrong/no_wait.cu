// expect: uninit-read, race-shared, wrong-values
// why: nobody waits for the copies of line 9; the barrier does not, so line 12 reads what was there before
// line: 9, 12
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __pipeline_memcpy_async(&s[4 * t], &x[256 * tile + 4 * t], 16);
        __pipeline_commit();
        __syncthreads();
        for (int k = t; k < 256; k += 64) y[256 * tile + k] = s[255 - k] + s[(256 - k) % 256];
        __syncthreads();
    }
}
