// expect: race-global, wrong-values, non-deterministic
// why: line 5 counts without an atomic
// line: 5
extern "C" __global__ void histogram(const unsigned char* data, unsigned* hist, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) hist[data[i]]++;
}
