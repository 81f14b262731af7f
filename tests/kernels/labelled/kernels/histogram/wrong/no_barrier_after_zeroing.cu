// expect: race-shared, wrong-values, uninit-read
// why: another warp may clear a bin after line 7 has counted in it
// line: 7
extern "C" __global__ void histogram(const unsigned char* data, unsigned* hist, int n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}
