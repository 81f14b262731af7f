__device__ __noinline__ float square_of(float x) { return x * x; }
struct Pair { int a; double b; };
__device__ __noinline__ Pair make_pair_of(int x, double y) { Pair p; p.a = x * 2; p.b = y / 3; return p; }
extern "C" __global__ void functions(const float* in, float* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    out[i * 20 + 0] = expf(x);
    out[i * 20 + 1] = sinf(x);
    out[i * 20 + 2] = cosf(x);
    out[i * 20 + 3] = sqrtf(fabsf(x));
    out[i * 20 + 4] = logf(fabsf(x));
    out[i * 20 + 5] = powf(fabsf(x), 1.5f);
    out[i * 20 + 6] = tanhf(x);
    out[i * 20 + 7] = rsqrtf(fabsf(x));
    out[i * 20 + 8] = 1.0f / x;
    out[i * 20 + 9] = erff(x);
    out[i * 20 + 10] = __expf(x);
    out[i * 20 + 11] = __sinf(x);
    out[i * 20 + 12] = fmodf(x, 0.7f);
    out[i * 20 + 13] = floorf(x) + ceilf(x) + rintf(x) + truncf(x) + roundf(x);
    out[i * 20 + 14] = fminf(x, 0.5f) + fmaxf(x, -0.5f);
    out[i * 20 + 15] = log1pf(fabsf(x)) + expm1f(x);
    out[i * 20 + 16] = atan2f(x, 2.0f);
    out[i * 20 + 17] = cbrtf(x);
    out[i * 20 + 18] = hypotf(x, 3.0f);
    out[i * 20 + 19] = square_of(x) + exp2f(x) + log2f(fabsf(x));
}
extern "C" __global__ void doubles(const double* in, double* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    double x = in[i];
    out[i * 10 + 0] = exp(x);
    out[i * 10 + 1] = sin(x);
    out[i * 10 + 2] = cos(x);
    out[i * 10 + 3] = sqrt(fabs(x));
    out[i * 10 + 4] = log(fabs(x));
    out[i * 10 + 5] = pow(fabs(x), 1.5);
    out[i * 10 + 6] = 1.0 / x;
    out[i * 10 + 7] = tanh(x);
    out[i * 10 + 8] = make_pair_of(i, x).b + make_pair_of(i, x).a;
    out[i * 10 + 9] = floor(x) + rint(x) + fmod(x, 0.7);
}
extern "C" __global__ void integers(const int* in, long long* out, int n) {
    int i = threadIdx.x;
    if (i + 1 >= n) return;
    int a = in[i], b = in[i + 1];
    unsigned ua = a, ub = b;
    long long wa = ((long long)a << 20) + b, wb = b;
    long long* o = out + i * 20;
    o[0] = b ? a / b : -1;
    o[1] = b ? a % b : -1;
    o[2] = ub ? ua / ub : 1;
    o[3] = ub ? ua % ub : 1;
    o[4] = wb ? wa / wb : 1;
    o[5] = wb ? wa % wb : 1;
    o[6] = __popc(a) + __clz(a) * 100 + __ffs(a) * 10000;
    o[7] = __brev(ua);
    o[8] = __byte_perm(ua, ub, 0x5410);
    o[9] = __mulhi(a, b);
    o[10] = __umulhi(ua, ub);
    o[11] = __funnelshift_l(ua, ub, 7);
    o[12] = (short)a * (short)b + (signed char)a;
    o[13] = (unsigned char)a + (unsigned short)b;
    o[14] = min(a, b) + (long long)max(ua, ub);
    o[15] = (a >> 3) ^ (ua >> 5) ^ (wa >> 40);
    o[16] = __popcll(wa) + __clzll(wa);
    o[17] = __mul64hi(wa, wb << 30);
    o[18] = abs(a) + (a & 0xff00ff) + (~b | 5);
    o[19] = (long long)(float)a + (int)(a * 0.5) + (unsigned)(ub * 0.25f);
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x); }
