// expect: accepted
// why: the accumulator begins with what the same warp has stored to C before
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void tensor_product(const __half* A, const __half* B, float* C, int m, int n, int k) {
    int tile = blockIdx.x * 4 + threadIdx.x / 32;
    if (tile >= m / 16 * (n / 16)) return;
    float* c = C + tile / (n / 16) * 16 * n + tile % (n / 16) * 16;
    const __half* from = B + tile % (n / 16) * 16;
    for (int e = threadIdx.x % 32; e < 256; e += 32) c[e / 16 * n + e % 16] = 0.0f;
    __syncwarp();
    for (int j = 0; j < k; j += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
        wmma::load_matrix_sync(sum, c, n, wmma::mem_row_major);
        wmma::load_matrix_sync(a, A + tile / (n / 16) * 16 * k + j, k);
        wmma::load_matrix_sync(b, from + j * n, n);
        wmma::mma_sync(sum, a, b, sum);
        __syncwarp();
        wmma::store_matrix_sync(c, sum, n, wmma::mem_row_major);
        __syncwarp();
    }
}
