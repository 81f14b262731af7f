// expect: misaligned, wrong-values
// why: rows of 17 halves as on line 7 begin at no multiple of 16 bytes, which line 21 needs
// line: 7, 21, 22
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void tensor_product(const __half* A, const __half* B, float* C, int m, int n, int k) {
    __shared__ __align__(32) __half sa[4][16 * 17 + 8], sb[4][16 * 17 + 8];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, tile = blockIdx.x * 4 + w;
    if (tile >= m / 16 * (n / 16)) return;
    int row = tile / (n / 16) * 16, column = tile % (n / 16) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int j = 0; j < k; j += 16) {
        for (int e = lane; e < 256; e += 32) {
            sa[w][e / 16 * 17 + e % 16] = A[(row + e / 16) * k + j + e % 16];
            sb[w][e % 16 * 17 + e / 16] = B[(j + e / 16) * n + column + e % 16];
        }
        __syncwarp();
        wmma::load_matrix_sync(a, sa[w], 17);
        wmma::load_matrix_sync(b, sb[w], 17);
        wmma::mma_sync(sum, a, b, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(C + row * n + column, sum, n, wmma::mem_row_major);
}
