// expect: oob-write, wrong-values
// why: line 5 takes the bytes as signed, values over 127 give negative bins
// line: 5
extern "C" __global__ void histogram(const signed char* data, unsigned* hist, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&hist[data[i]], 1u);
}
