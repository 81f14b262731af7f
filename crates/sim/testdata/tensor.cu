#include <mma.h>
using namespace nvcuda;
// c = a * b of 32 x 32 halves, sums in single: four tiles, one for each warp.
extern "C" __global__ void single_sums(const __half* a, const __half* b, float* c) {
    int w = threadIdx.x / 32, row = w / 2 * 16, column = w % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 32; k += 16) {
        wmma::load_matrix_sync(fa, a + row * 32 + k, 32);
        wmma::load_matrix_sync(fb, b + k * 32 + column, 32);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2;
    wmma::store_matrix_sync(c + row * 32 + column, fc, 32, wmma::mem_row_major);
}
// 32 x 8 and 8 x 32 tiles through shared memory with rows of 24 or 40, factors by column, sums in half.
template <int M, int N> __device__ void half_sums(const __half* a, const __half* b, const __half* c, __half* d) {
    __shared__ alignas(32) __half sa[40 * 16], sb[24 * 32];
    for (int i = threadIdx.x; i < M * 16; i += 32) sa[i % M + i / M * 40] = a[i];  // by column
    for (int i = threadIdx.x; i < 16 * N; i += 32) sb[i % 16 + i / 16 * 24] = b[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, 16, __half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, 16, __half> fc;
    wmma::load_matrix_sync(fa, sa, 40);
    wmma::load_matrix_sync(fb, sb, 24);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = __hmul(fa.x[i], __float2half(0.5f));
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, M, wmma::mem_col_major);
}
extern "C" __global__ void half_tall(const __half* a, const __half* b, const __half* c, __half* d) { half_sums<32, 8>(a, b, c, d); }
extern "C" __global__ void half_wide(const __half* a, const __half* b, const __half* c, __half* d) { half_sums<8, 32>(a, b, c, d); }
extern "C" __global__ void integers(const signed char* a, const signed char* b, int* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 5);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
extern "C" __global__ void tf32(const float* a, const float* b, float* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 16);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
extern "C" __global__ void doubles(const double* a, const double* b, double* d) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
    wmma::fill_fragment(fc, 1.0);
    wmma::load_matrix_sync(fa, a, 4);
    wmma::load_matrix_sync(fb, b, 4);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
