// Functions of the library on halves: close, not equal. Each result is a pair of halves in a word of 64 bits.
#include <cuda_fp16.h>
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned long long* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__device__ __half number(unsigned bits) { return __float2half((float)(bits % 2001u) * 0.004f + 0.05f); }
__device__ unsigned long long pair(__half a, __half b) { return __half_as_ushort(a) | (unsigned)__half_as_ushort(b) << 16; }

KERNEL(roots) { __half x = number(in[INDEX]); out[INDEX] = pair(hsqrt(x), hrsqrt(x)); }
KERNEL(quotients) { __half x = number(in[INDEX]); out[INDEX] = pair(hrcp(x), __hdiv(x, __float2half(1.7f))); }
KERNEL(exponentials) { __half x = number(in[INDEX]); out[INDEX] = pair(hexp(x), hexp2(x)); }
KERNEL(logarithms) { __half x = number(in[INDEX]); out[INDEX] = pair(hlog(x), hlog2(x)); }
KERNEL(circles) { __half x = number(in[INDEX]); out[INDEX] = pair(hsin(x), hcos(x)); }
KERNEL(roundings) { __half x = number(in[INDEX]); out[INDEX] = pair(hfloor(x), hrint(x)); }
