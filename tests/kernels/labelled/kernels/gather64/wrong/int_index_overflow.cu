// expect: oob-read, wrong-values
// why: i*step overflows 32 bits on line 6 and the remainder turns negative
// line: 6
extern "C" __global__ void gather64(const long long* src, long long* dst, int step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = src[i * step % n] * 1000003;
}
