#include <cuda_fp16.h>
// Compiled for compute_90.
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
// d = a * b of 16 x 16 and 16 x 8 halves, fragments by ldmatrix, b lies by rows.
extern "C" __global__ void halves(const __half* a, const __half* b, float* d) {
    __shared__ alignas(16) __half sa[16][24], sb[16][8];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
    for (int i = t; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
    __syncthreads();
    unsigned fa[4], fb[2];
    float fd[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at(&sa[t % 16][t / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"(at(&sb[t % 16][0])));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=f"(fd[0]), "=f"(fd[1]), "=f"(fd[2]), "=f"(fd[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]), "f"(0.25f));
    for (int i = 0; i < 4; i++) d[(t / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = fd[i];
}
// The same of 16 x 8 and 8 x 8 with sums in half; a is given by registers.
extern "C" __global__ void half_sums(const __half* a, const __half* b, __half* d) {
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    unsigned fa0 = *(const unsigned*)&a[g * 8 + 2 * t], fa1 = *(const unsigned*)&a[(g + 8) * 8 + 2 * t];
    __half2 pair(b[2 * t * 8 + g], b[(2 * t + 1) * 8 + g]);
    unsigned fb = *(unsigned*)&pair, d0, d1;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %5};"
                 : "=r"(d0), "=r"(d1) : "r"(fa0), "r"(fa1), "r"(fb), "r"(0));
    *(unsigned*)&d[g * 8 + 2 * t] = d0;
    *(unsigned*)&d[(g + 8) * 8 + 2 * t] = d1;
}
// 16 x 32 and 32 x 8 bytes; b lies by columns.
extern "C" __global__ void bytes(const unsigned* a, const unsigned* b, int* d) {
    int g = threadIdx.x / 4, t = threadIdx.x % 4, r[4];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]),
                   "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]), "r"(-7));
    for (int i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = r[i];
}
extern "C" __global__ void tf32(const float* a, const float* b, float* d) {
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    float r[4];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
                 : "f"(a[g * 8 + t]), "f"(a[(g + 8) * 8 + t]), "f"(a[g * 8 + t + 4]), "f"(a[(g + 8) * 8 + t + 4]),
                   "f"(b[t * 8 + g]), "f"(b[(t + 4) * 8 + g]), "f"(0.0f));
    for (int i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = r[i];
}
// Rows of 8 words of 16 bits: as they are, transposed by the load, by the move and by the store.
extern "C" __global__ void moved(const unsigned short* in, unsigned short* out) {
    __shared__ alignas(16) unsigned short tile[64], back[128];
    int t = threadIdx.x;
    tile[t] = in[t];
    tile[t + 32] = in[t + 32];
    __syncthreads();
    unsigned a, b, c, row = t % 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at(&tile[row * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(b) : "r"(at(&tile[row * 8])));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(c) : "r"(a));
    ((unsigned*)out)[t] = a;
    ((unsigned*)out)[t + 32] = b;
    ((unsigned*)out)[t + 64] = c;
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at(&back[t % 16 * 8])), "r"(a), "r"(b) : "memory");
    __syncthreads();
    for (int i = t; i < 128; i += 32) out[192 + i] = back[i];
    __syncthreads();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at(&back[row * 8])), "r"(a) : "memory");
    __syncthreads();
    for (int i = t; i < 64; i += 32) out[320 + i] = back[i];
}
// Half of the lanes do not come.
extern "C" __global__ void torn(unsigned* out) {
    __shared__ alignas(16) unsigned short tile[64];
    tile[threadIdx.x] = tile[threadIdx.x + 32] = 0;
    if (threadIdx.x >= 16) return;
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at(&tile[threadIdx.x % 8 * 8])));
    out[threadIdx.x] = a;
}
// A row that is not aligned to its 16 bytes.
extern "C" __global__ void skewed(unsigned* out) {
    __shared__ alignas(16) unsigned short tile[80];
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at(&tile[threadIdx.x % 8 * 9])));
    out[threadIdx.x] = a;
}
