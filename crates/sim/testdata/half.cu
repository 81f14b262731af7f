#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half* a, __half* o, float* f) {
    int i = threadIdx.x; o[i] = __hadd(a[i], __float2half(1.5f)); f[i] = __half2float(a[i]) * 2; o[i + 32] = __hfma(a[i], a[i], o[i]);
    if (__hlt(a[i], o[i])) f[i] = 1;
}
extern "C" __global__ void conv(const __half* a, __half* o) { int i = threadIdx.x; o[i] = __float2half(__half2float(a[i]) * 2); }
extern "C" __global__ void halves2(const __half2* a, __half2* o) { int i = threadIdx.x; o[i] = __hmul2(a[i], a[i]); }
#include <cuda_bf16.h>
extern "C" __global__ void brains(const __nv_bfloat16* a, __nv_bfloat16* o) {
    int i = threadIdx.x;
    o[i] = __float2bfloat16(__bfloat162float(a[i]) * 2 + 0.0078125f);
    o[i + 32] = __hfma(a[i], a[i], a[i]);
}
