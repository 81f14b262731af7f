// expect: accepted
// why: past the last tile nothing is read, since all 16 bytes are filled with zeros
#include <cuda_pipeline.h>
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[3][256];
    int t = threadIdx.x, step = gridDim.x, round = 0;
    for (int k = 0; k < 2; ++k) {
        int tile = blockIdx.x + k * step;
        __pipeline_memcpy_async(&s[k][4 * t], &x[tile < tiles ? 256 * tile + 4 * t : 0], 16, tile < tiles ? 0 : 16);
        __pipeline_commit();
    }
    for (int tile = blockIdx.x; tile < tiles; tile += step, ++round) {
        int next = tile + 2 * step;
        __pipeline_wait_prior(1);
        __syncthreads();
        __pipeline_memcpy_async(&s[(round + 2) % 3][4 * t], &x[256 * next + 4 * t], 16, next < tiles ? 0 : 16);
        __pipeline_commit();
        const int* now = s[round % 3];
        for (int k = t; k < 256; k += 64) y[256 * tile + k] = now[255 - k] + now[(256 - k) % 256];
    }
}
