// expect: oob-shared, wrong-values, race-shared
// why: the shared array on line 5 lacks bin 255
// line: 5
extern "C" __global__ void histogram(const unsigned char* data, unsigned* hist, int n) {
    __shared__ unsigned bins[255];
    if (threadIdx.x < 255) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}
