// Functions of the library that are made of approximate instructions: close, not equal. Results are floats.
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define GIVE(value) out[INDEX] = __float_as_uint(value)

__device__ float number(unsigned bits) { return (float)(int)(bits % 20001u - 10000u) * 0.001f; }

KERNEL(exponentials) { float x = number(in[INDEX]); GIVE(expf(x) + exp2f(x) + expm1f(x * 0.1f)); }
KERNEL(logarithms) { float x = fabsf(number(in[INDEX])) + 0.01f; GIVE(logf(x) + 10.0f + log2f(x) + log10f(x) + log1pf(x)); }
KERNEL(powers) { float x = fabsf(number(in[INDEX])) + 0.1f; GIVE(powf(x, 1.7f) + cbrtf(x)); }
KERNEL(circles) { float x = number(in[INDEX]); GIVE(sinf(x) + 3.0f * cosf(x)); }
KERNEL(tangents) { float x = number(in[INDEX]) * 0.1f; GIVE(tanf(x) + tanhf(x) + sinhf(x) + coshf(x)); }
KERNEL(arcs) { float x = number(in[INDEX]) * 0.1f; GIVE(asinf(x) + acosf(x) + atanf(x * 9.0f) + atan2f(x, 0.3f)); }
KERNEL(errors) { float x = number(in[INDEX]) * 0.2f; GIVE(erff(x) + erfcf(x) + tgammaf(fabsf(x) + 1.0f)); }
KERNEL(lengths) { float x = number(in[INDEX]); GIVE(hypotf(x, 2.0f) + rsqrtf(fabsf(x) + 1.0f) + rnorm3df(x, 1.0f, 2.0f)); }
KERNEL(fast_ones) { float x = fabsf(number(in[INDEX])) * 0.3f + 0.1f; GIVE(__expf(x) + __logf(x) + 5.0f + __sinf(x) + __cosf(x) + __fdividef(x, 3.0f)); }
KERNEL(softmax_of_rows) {
    __shared__ float row[128];
    float x = number(in[INDEX]);
    row[threadIdx.x] = expf(x);
    __syncthreads();
    float sum = 0.0f;
    for (int at = 0; at < 128; ++at) sum += row[at];
    GIVE(row[threadIdx.x] / sum);
}
