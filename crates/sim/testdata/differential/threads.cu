// Threads: arithmetic of every width, conversions, vectors, structures, calls, recursion, the heap.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL(bits) {
    unsigned a = in[INDEX], b = in[INDEX + 256];
    out[INDEX] = __popc(a) + __clz(b) * 3 + __ffs(a) * 5 + __brev(b) + __byte_perm(a, b, 0x5140) + __funnelshift_l(a, b, 9)
               + __funnelshift_rc(a, b, 40) + __sad((int)a, (int)b, 7u) + __mulhi((int)a, (int)b) + __umulhi(a, b) + __umul24(a, b)
               + __hadd((int)a, (int)b) + __rhadd((int)a, (int)b);
}

KERNEL(wide_bits) {
    unsigned long long a = (unsigned long long)in[INDEX] << 32 | in[INDEX + 256], b = (unsigned long long)in[INDEX + 512] << 20;
    unsigned long long sum = __popcll(a) + __clzll(b) * 3 + __ffsll(a) * 5 + __brevll(b) + __umul64hi(a, b) + __mul64hi((long long)a, (long long)b);
    sum += a / (b | 1) + a % (b | 3) + (unsigned long long)((long long)a / (long long)(b | 1)) + (unsigned long long)((long long)a % (long long)(b | 5));
    sum ^= (a << (b & 63)) + (a >> (b & 63)) + (unsigned long long)((long long)a >> (a & 63));
    out[INDEX] = (unsigned)sum ^ (unsigned)(sum >> 32);
}

KERNEL(narrow) {
    signed char a = (signed char)in[INDEX];
    unsigned char b = (unsigned char)(in[INDEX] >> 8);
    short c = (short)(in[INDEX] >> 16);
    unsigned short d = (unsigned short)in[INDEX + 1];
    a = (signed char)(a * 3 + 1);
    b = (unsigned char)(b * 5 - 1);
    c = (short)(c / 3 - a);
    d = (unsigned short)(d + b);
    out[INDEX] = (unsigned)(a + b * 7 + c * 11 + d * 13) + (unsigned)(c > a) + (unsigned)(d < b) * 2;
}

KERNEL(division) {
    unsigned a = in[INDEX], b = in[INDEX + 256] >> 12 | 1;
    int c = (int)a, d = (int)b - 500000;
    out[INDEX] = a / b + a % b + (unsigned)(c / (d | 1)) + (unsigned)(c % (d | 1)) + a / 10 + a % 1000 + (unsigned)(c / 7) + (unsigned)(c % -13);
}

KERNEL(digits_by_digit) {
    unsigned value = in[INDEX], turned = 0;
    for (int at = 0; at < 10; ++at) {
        turned = turned * 10 + value % 10;
        value /= 10;
    }
    out[INDEX] = turned;
}

KERNEL(byte_products) {
    int a = (int)in[INDEX], b = (int)in[INDEX + 1];
    out[INDEX] = (unsigned)__dp4a(a, b, 17) + __dp4a((unsigned)a, (unsigned)b, 3u) + (unsigned)__dp2a_lo(a, b, 1) + (unsigned)__dp2a_hi(a, b, 2);
}

KERNEL(byte_lanes) {
    unsigned a = in[INDEX], b = in[INDEX + 1];
    out[INDEX] = __vadd4(a, b) ^ __vsub2(a, b) ^ __vmaxs4(a, b) ^ __vabsdiffu4(a, b) ^ __vavgu2(a, b) ^ __vcmpgtu4(a, b) ^ __vaddss2(a, b) ^ __vsadu4(a, b);
}

__device__ float number(unsigned bits) { return (float)(int)(bits % 200001u - 100000u) * 0.001f; }

KERNEL(float_arithmetic) {
    float a = number(in[INDEX]), b = number(in[INDEX + 256]), c = number(in[INDEX + 512]);
    float sum = __fadd_rn(a, b) + __fmul_rz(b, c) * __fmaf_ru(a, b, c) - __fdiv_rn(a, b) + __frcp_rd(c) + __fsqrt_rn(fabsf(a));
    out[INDEX] = __float_as_uint(sum);
}

KERNEL(float_rounding) {
    float a = number(in[INDEX]), b = number(in[INDEX + 256]);
    float sum = floorf(a) + ceilf(b) * 2.0f + truncf(a) * 3.0f + rintf(b) * 5.0f + roundf(a) * 7.0f + fminf(a, b) + fmaxf(a, b) + copysignf(a, b);
    out[INDEX] = __float_as_uint(sum) ^ (unsigned)__float2int_rd(a) ^ __float2uint_ru(fabsf(b)) ^ (unsigned)lrintf(a * 100.0f);
}

KERNEL(float_edges) {
    float a = __uint_as_float(in[INDEX]), b = __uint_as_float(in[INDEX + 256]);
    unsigned result = isnan(a) + isinf(b) * 2 + signbit(a) * 4 + (a < b) * 8 + (a >= b) * 16 + (a != b) * 32 + (a == a) * 64;
    out[INDEX] = result + (unsigned)(int)a + __float2uint_rn(b) + (unsigned)(unsigned long long)__float2ll_rz(a);
}

KERNEL(remainders) {
    float a = number(in[INDEX]), b = number(in[INDEX + 256]) + 0.0003f;
    int exponent;
    float fraction = frexpf(a, &exponent), whole;
    float part = modff(b, &whole);
    out[INDEX] = __float_as_uint(fmodf(a, b) + remainderf(b, 3.0f) + ldexpf(fraction, exponent % 5) + part + whole + scalbnf(a, -3));
}

KERNEL(double_arithmetic) {
    double a = (double)in[INDEX] * 1e-3, b = (double)(int)in[INDEX + 256] * 1e-5;
    double sum = a * b + a / b - __fma_rn(a, b, -a) + sqrt(a) + __dadd_ru(a, b) + __dmul_rd(a, b) + floor(b) + rint(a);
    long long bits = __double_as_longlong(sum);
    out[INDEX] = (unsigned)bits ^ (unsigned)(bits >> 32) ^ (unsigned)__double2int_rz(b) ^ __float_as_uint((float)b);
}

KERNEL(halves) {
    __half a = __float2half(number(in[INDEX])), b = __float2half(number(in[INDEX + 256]));
    __half c = __hadd_rn(__hmul_rn(a, b), __hsub_rn(a, b));
    c = __hfma(c, a, b);
    out[INDEX] = __half_as_ushort(c) | (unsigned)__half_as_ushort(__hmax(a, b)) << 16;
    out[INDEX] ^= (unsigned)__half2int_rn(b) ^ (__hlt(a, b) ? 0x10000u : 0u);
}

KERNEL(half_pairs) {
    __half2 a = __floats2half2_rn(number(in[INDEX]), number(in[INDEX + 1])), b = __floats2half2_rn(number(in[INDEX + 256]), 2.5f);
    __half2 c = __hfma2(a, b, __hadd2_rn(a, __hneg2(b)));
    out[INDEX] = *(unsigned*)&c ^ __hge2_mask(a, b);
}

KERNEL(brain_floats) {
    __nv_bfloat16 a = __float2bfloat16(number(in[INDEX])), b = __float2bfloat16(number(in[INDEX + 256]));
    __nv_bfloat16 c = __hadd_rn(__hmul_rn(a, b), a);
    c = __hfma(c, b, a);
    out[INDEX] = __bfloat16_as_ushort(c) | (unsigned)__bfloat16_as_ushort(__hmin(a, b)) << 16;
}

KERNEL(vectors) {
    uint4 four = ((const uint4*)in)[INDEX];
    uint2 two = ((const uint2*)in)[INDEX + 7];
    if (INDEX < 128) {
        ((uint4*)out)[INDEX] = make_uint4(four.w + two.x, four.z ^ two.y, four.y, four.x);
    } else {
        ((uint2*)out)[INDEX + 128] = make_uint2(two.x * 3, four.y);
    }
}

KERNEL(read_only) {
    out[INDEX] = __ldg(&in[INDEX]) + __ldcg(&in[INDEX + 1]) + __ldcs(&in[INDEX + 2]) + __ldlu(&in[INDEX + 3]);
    __stcs(&out[INDEX + 256], in[INDEX] ^ 3u);
}

struct Particle {
    float3 place;
    unsigned short kind;
    signed char charge;
    double mass;
};

__device__ __noinline__ Particle moved(Particle particle, float by) {
    particle.place.x += by;
    particle.place.z -= by;
    particle.charge = (signed char)(particle.charge + particle.kind);
    particle.mass *= 1.5;
    return particle;
}

KERNEL(structures) {
    Particle own = {make_float3(number(in[INDEX]), 1.0f, 2.0f), (unsigned short)in[INDEX], (signed char)(in[INDEX] >> 16), 0.25};
    for (int step = 0; step < 3; ++step) own = moved(own, (float)step);
    out[INDEX] = __float_as_uint(own.place.x + own.place.z) ^ (unsigned)own.charge ^ own.kind ^ (unsigned)(own.mass * 1024.0);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

KERNEL(recursion) { out[INDEX] = ackermann(in[INDEX] % 3, in[INDEX + 256] % 4); }

__device__ __noinline__ unsigned twice(unsigned value) { return value * 2 + 1; }
__device__ __noinline__ unsigned mixed(unsigned value) { return value ^ (value >> 7); }
__device__ __noinline__ unsigned fifth(unsigned value) { return value / 5; }

KERNEL(pointers_to_functions) {
    unsigned (*const ways[3])(unsigned) = {twice, mixed, fifth};
    unsigned value = in[INDEX];
    for (int step = 0; step < 4; ++step) value = ways[value % 3](value);
    out[INDEX] = value;
}

struct Shape {
    __device__ virtual unsigned area() const { return 1; }
};
struct Square : Shape {
    unsigned side;
    __device__ Square(unsigned side) : side(side) {}
    __device__ unsigned area() const override { return side * side; }
};

KERNEL(virtual_functions) {
    Shape unit;
    Square square(in[INDEX] % 100);
    const Shape* shape = in[INDEX + 256] & 1 ? (const Shape*)&square : &unit;
    out[INDEX] = shape->area();
}

KERNEL(heap) {
    unsigned* own = (unsigned*)malloc(16 * sizeof(unsigned));
    if (own == nullptr) return;
    for (int at = 0; at < 16; ++at) own[at] = in[(INDEX + at) % 1024] * at;
    unsigned sum = 0;
    for (int at = 15; at >= 0; --at) sum = sum * 3 + own[at];
    free(own);
    out[INDEX] = sum;
}

KERNEL(sort_in_registers) {
    unsigned own[6];
    for (int at = 0; at < 6; ++at) own[at] = in[(INDEX + at * 101) % 1024];
#pragma unroll
    for (int end = 5; end > 0; --end) {
#pragma unroll
        for (int at = 0; at < end; ++at) {
            unsigned low = min(own[at], own[at + 1]), high = max(own[at], own[at + 1]);
            own[at] = low;
            own[at + 1] = high;
        }
    }
    out[INDEX] = own[0] ^ own[2] * 3 ^ own[5] * 5;
}

KERNEL(carries) {
    unsigned low, middle, high;
    asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %3; addc.u32 %2, 0, 0;" : "=r"(low), "=r"(middle), "=r"(high) : "r"(in[INDEX]), "r"(in[INDEX + 256]));
    out[INDEX] = low ^ middle * 3 ^ high * 5;
}

KERNEL(pseudo_random) {
    unsigned long long state = in[INDEX] | 1ull << 40;
    unsigned value = 0;
    for (int step = 0; step < 20; ++step) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned shifted = (unsigned)(((state >> 18) ^ state) >> 27), turn = (unsigned)(state >> 59);
        value ^= (shifted >> turn) | (shifted << ((32 - turn) & 31));
    }
    out[INDEX] = value;
}
