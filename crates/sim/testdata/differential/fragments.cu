// Fragments of matrices and packed numbers. Products and sums of small whole numbers are exact in every order.
// Compiled for compute_90.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__device__ float small(unsigned bits) { return (float)(bits % 9) - 4.0f; }

template <typename T, int M, int N, int K, typename A, typename B, typename C> __device__ void product(const T* a, const T* b, C* c, int pitch) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> left;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> right;
    wmma::fragment<wmma::accumulator, M, N, K, C> sum;
    wmma::fill_fragment(sum, (C)2);
    wmma::load_matrix_sync(left, a, pitch);
    wmma::load_matrix_sync(right, b, pitch);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

KERNEL(brain_products) {
    __shared__ alignas(32) __nv_bfloat16 a[1024], b[1024];
    for (unsigned at = threadIdx.x; at < 1024; at += blockDim.x) {
        a[at] = __float2bfloat16(small(in[at]));
        b[at] = __float2bfloat16(small(in[at] >> 8));
    }
    __syncthreads();
    if (threadIdx.x / 32 == 1) product<__nv_bfloat16, 16, 16, 16, wmma::row_major, wmma::row_major>(a, b, (float*)out + blockIdx.x * 256, 24);
}

KERNEL(tall_products) {
    __shared__ alignas(32) __half a[1024], b[1024];
    for (unsigned at = threadIdx.x; at < 1024; at += blockDim.x) {
        a[at] = __float2half(small(in[at]));
        b[at] = __float2half(small(in[at] >> 8));
    }
    __syncthreads();
    if (threadIdx.x / 32 == 0) product<__half, 32, 8, 16, wmma::col_major, wmma::row_major>(a, b, (__half*)out, 40);
    if (threadIdx.x / 32 == 2) product<__half, 8, 32, 16, wmma::row_major, wmma::col_major>(a, b, (__half*)out + 512, 32);
}

KERNEL(byte_fragments) {
    product<signed char, 16, 16, 16, wmma::row_major, wmma::col_major>((const signed char*)in, (const signed char*)in + 512, (int*)out, 16);
    product<unsigned char, 32, 8, 16, wmma::row_major, wmma::row_major>((const unsigned char*)in, (const unsigned char*)in + 512, (int*)out + 256, 16);
}

KERNEL(tf32_products) {
    __shared__ alignas(32) float a[128], b[128];
    for (unsigned at = threadIdx.x; at < 128; at += 32) {
        a[at] = small(in[at]);
        b[at] = small(in[at + 128]);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.5f);
    wmma::load_matrix_sync(left, a, 8);
    wmma::load_matrix_sync(right, b, 8);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync((float*)out, sum, 16, wmma::mem_col_major);
}

KERNEL(double_fragments) {
    __shared__ alignas(32) double a[32], b[32];
    if (threadIdx.x < 32) {
        a[threadIdx.x] = (double)(int)in[threadIdx.x];
        b[threadIdx.x] = (double)(in[threadIdx.x + 32] % 1000);
        __syncwarp();
        product<double, 8, 8, 4, wmma::row_major, wmma::col_major>(a, b, (double*)out + blockIdx.x * 64, 4);
    }
}

KERNEL(half_sums) {
    unsigned lane = threadIdx.x % 32, a[4], b[2], c[2];
    for (int at = 0; at < 4; ++at) {
        __half2 pair = __floats2half2_rn(small(in[lane * 4 + at]), small(in[lane * 4 + at] >> 8));
        a[at] = *(unsigned*)&pair;
        if (at < 2) b[at] = a[at] ^ 0x80000000;
    }
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%8};"
                 : "=r"(c[0]), "=r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(0x3c004000));
    out[INDEX] = c[0] * 3 + c[1];
}

KERNEL(brain_sums) {
    unsigned lane = threadIdx.x % 32, a[2], b;
    float c[4] = {1.0f, -2.0f, 0.5f, 0.0f};
    for (int at = 0; at < 2; ++at) {
        __nv_bfloat162 pair = __floats2bfloat162_rn(small(in[lane * 2 + at]), small(in[lane * 2 + at] >> 8));
        a[at] = *(unsigned*)&pair;
    }
    b = a[0];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b));
    out[INDEX] = __float_as_uint(c[0]) ^ __float_as_uint(c[1]) * 3 ^ __float_as_uint(c[2]) * 5 ^ __float_as_uint(c[3]) * 7;
}

KERNEL(saturated_sums) {
    unsigned a[4], b[2];
    int c[4] = {0x7fffff00, -0x7fffff00, 5, 0};
    for (int at = 0; at < 4; ++at) a[at] = in[(INDEX + at * 31) % 1024];
    for (int at = 0; at < 2; ++at) b[at] = in[(INDEX + at * 71 + 5) % 1024];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    out[INDEX] = c[0] ^ c[1] * 3 ^ c[2] * 5 ^ c[3] * 7;
}

KERNEL(double_mma) {
    unsigned lane = threadIdx.x % 32;
    double a = (double)(int)in[lane], b = (double)(in[lane + 32] % 999), c = 3.0, d = -1.0;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c), "+d"(d) : "d"(a), "d"(b));
    long long bits = __double_as_longlong(c) ^ __double_as_longlong(d) * 3;
    out[INDEX] = (unsigned)bits ^ (unsigned)(bits >> 32);
}

KERNEL(rows_moved) {
    __shared__ alignas(16) unsigned room[256];
    room[threadIdx.x] = in[INDEX];
    room[threadIdx.x + 128] = in[INDEX + 256];
    __syncthreads();
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned from = (unsigned)__cvta_generic_to_shared(&room[warp * 64 + lane % 16 * 4]), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(from));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(c) : "r"(a));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(from), "r"(b), "r"(c) : "memory");
    __syncwarp();
    d = room[warp * 64 + lane];
    out[INDEX] = a ^ b * 3 ^ c * 5 ^ d * 7;
}

KERNEL(pair_functions) {
    __half2 a = __floats2half2_rn(small(in[INDEX]) * 0.3f, small(in[INDEX] >> 4)), b = __floats2half2_rn(1.5f, small(in[INDEX] >> 8) * 7.7f);
    __half2 c = __hmax2(__habs2(a), __hneg2(b)), d = __hfma2_sat(a, b, c), e = __hfma2_relu(a, b, __hmin2(a, c));
    unsigned words[3] = {*(unsigned*)&c, *(unsigned*)&d, *(unsigned*)&e};
    out[INDEX] = words[0] ^ words[1] * 3 ^ words[2] * 5 ^ (__hbgt2(a, b) ? 7 : 0) ^ (unsigned)__half2short_rz(__low2half(b)) << 9;
}

KERNEL(brain_pairs) {
    __nv_bfloat162 a = __floats2bfloat162_rn(small(in[INDEX]) * 0.3f, small(in[INDEX] >> 4)), b = __floats2bfloat162_rn(1.5f, small(in[INDEX] >> 8) * 7.7f);
    __nv_bfloat162 c = __hadd2_rn(a, b), d = __hmul2_rn(c, b), e = __hfma2_relu(a, b, __hsub2_rn(d, a));
    unsigned words[3] = {*(unsigned*)&c, *(unsigned*)&d, *(unsigned*)&e};
    out[INDEX] = words[0] ^ words[1] * 3 ^ words[2] * 5 ^ (__hle(a.x, b.y) ? 7 : 0) ^ (unsigned)__bfloat162int_rd(d.x);
}

KERNEL(half_additions) {
    atomicAdd((__half2*)&out[0], __floats2half2_rn(1.0f, 2.0f));
    atomicAdd((__nv_bfloat162*)&out[1], __floats2bfloat162_rn(1.0f, 0.0f));
    if (INDEX < 100) atomicAdd((__half*)&out[2], __float2half(3.0f));
    float4 four = make_float4(1.0f, 2.0f, (float)(in[INDEX] % 8), 0.5f);
    atomicAdd((float4*)&out[4], four);
}
