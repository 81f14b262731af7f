// expect: oob-shared, uninit-read, wrong-values
// why: line 11 starts at 128 as if the block had 256 threads and reads shared cells 192..255 that do not exist
// line: 11
extern "C" __global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int s[192];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int h = 128; h > 0; h /= 2) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}
