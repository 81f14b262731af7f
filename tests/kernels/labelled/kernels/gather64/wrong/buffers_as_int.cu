// expect: wrong-values, output-untouched, oob-read, oob-write
// why: line 3 declares the buffers as 32-bit
extern "C" __global__ void gather64(const int* src, int* dst, int step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = src[(long long)i * step % n] * 1000003;
}
