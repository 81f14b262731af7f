// expect: race-shared, wrong-values
// why: line 10 reads the total before the other warps have added theirs
// line: 10
extern "C" __global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int total;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (i < n) atomicAdd(&total, x[i]);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
