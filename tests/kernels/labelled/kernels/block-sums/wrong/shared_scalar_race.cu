// expect: race-shared, wrong-values
// why: all threads write the same shared variable on line 9 without an atomic
// line: 9
extern "C" __global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int total;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (i < n) total += x[i];
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
