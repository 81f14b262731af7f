// expect: race-shared, wrong-values
// why: line 9 reads bins that other warps are still counting in
// line: 9
extern "C" __global__ void histogram(const unsigned char* data, unsigned* hist, int n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
    atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}
