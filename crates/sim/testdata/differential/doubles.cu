// Functions of the library in binary64: close, not equal, since they begin with approximations. Results are doubles.
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define GIVE(value) ((double*)out)[INDEX] = (value)

__device__ double number(unsigned bits) { return (double)(int)(bits % 20001u - 10000u) * 0.00123; }

KERNEL(exponentials) { double x = number(in[INDEX]); GIVE(exp(x) + exp2(x) + expm1(x * 0.1) + exp10(x * 0.2)); }
KERNEL(logarithms) { double x = fabs(number(in[INDEX])) + 0.01; GIVE(log(x) + 20.0 + log2(x) + log10(x) + log1p(x)); }
KERNEL(powers) { double x = fabs(number(in[INDEX])) + 0.1; GIVE(pow(x, 1.7) + cbrt(x) + pow(-x, 3.0) * 0.01); }
KERNEL(circles) { double x = number(in[INDEX]); GIVE(sin(x) + 3.0 * cos(x) + 9.0 + sinpi(x) + sin(x * 1e9)); }
KERNEL(tangents) { double x = number(in[INDEX]) * 0.1; GIVE(tan(x) * 0.01 + tanh(x) + sinh(x) + cosh(x) + 50.0); }
KERNEL(arcs) { double x = number(in[INDEX]) * 0.08; GIVE(asin(x) + acos(x) * 2.0 + atan(x * 9.0) + atan2(x, 0.3) + asinh(x) + 20.0); }
KERNEL(errors) { double x = number(in[INDEX]) * 0.2; GIVE(erf(x) + erfc(x) * 3.0 + tgamma(fabs(x) + 1.0) + lgamma(fabs(x) + 0.5)); }
KERNEL(lengths) { double x = number(in[INDEX]); GIVE(hypot(x, 2.0) + rsqrt(fabs(x) + 1.0) + norm3d(x, 1.0, 2.0) + 1.0 / (fabs(x) + 0.3)); }
KERNEL(roots_and_quotients) { double x = number(in[INDEX]); GIVE(sqrt(fabs(x)) + x / 3.7 + fmod(x, 0.7) + remainder(x, 0.9) + floor(x) + round(x) + 99.0); }
KERNEL(rows) {
    double x = number(in[INDEX]), sum = 0;
    for (int at = 0; at < 20; ++at) sum = fma(sum, 0.9, x * at) + exp(-x * x * at * 0.01);
    GIVE(sum);
}
