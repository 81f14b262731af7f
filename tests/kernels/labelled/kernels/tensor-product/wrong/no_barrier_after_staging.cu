// expect: race-shared, wrong-values, uninit-read
// why: line 22 reads a strip of B that other warps may still be filling on line 17
// line: 17, 22
#include <mma.h>
using namespace nvcuda;
// The four warps of a block have four tiles below each other, and share the strip of B.
extern "C" __global__ void tensor_product(const __half* A, const __half* B, float* C, int m, int n, int k) {
    __shared__ __align__(32) __half strip[16][16];
    __shared__ __align__(32) float out[4][16][16];
    int w = threadIdx.x / 32, down = (m / 16 + 3) / 4;
    for (int job = blockIdx.x; job < down * (n / 16); job += gridDim.x) {
        int row = (job % down * 4 + w) * 16, column = job / down * 16;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
        wmma::fill_fragment(sum, 0.0f);
        for (int j = 0; j < k; j += 16) {
            __syncthreads();
            for (int e = threadIdx.x; e < 256; e += 128) strip[e / 16][e % 16] = B[(j + e / 16) * n + column + e % 16];
            if (row < m) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
                wmma::load_matrix_sync(a, A + row * k + j, k);
                wmma::load_matrix_sync(b, &strip[0][0], 16);
                wmma::mma_sync(sum, a, b, sum);
            }
        }
        wmma::store_matrix_sync(&out[w][0][0], sum, 16, wmma::mem_col_major);
        __syncwarp();
        for (int e = threadIdx.x % 32; e < 256 && row < m; e += 32) C[(row + e / 16) * n + column + e % 16] = out[w][e % 16][e / 16];
        __syncwarp();
    }
}
