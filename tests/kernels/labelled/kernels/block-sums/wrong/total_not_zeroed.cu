// expect: uninit-read, wrong-values
// why: the shared total on line 5 has no first value
// line: 5
extern "C" __global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int total;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
