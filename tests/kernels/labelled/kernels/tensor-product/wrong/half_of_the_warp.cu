// expect: barrier-divergence, wrong-values, time-limit, launch-error, illegal
// why: a tile takes all 32 lanes, but line 15 sends half of them round line 16
// line: 15, 16, 17
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void tensor_product(const __half* A, const __half* B, float* C, int m, int n, int k) {
    int tile = blockIdx.x * 4 + threadIdx.x / 32;
    if (tile >= m / 16 * (n / 16)) return;
    int row = tile / (n / 16) * 16, column = tile % (n / 16) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int j = 0; j < k; j += 16) {
        if (threadIdx.x % 32 < 16)
            wmma::load_matrix_sync(a, A + row * k + j, k);
        wmma::load_matrix_sync(b, B + j * n + column, n);
        wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(C + row * n + column, sum, n, wmma::mem_row_major);
}
