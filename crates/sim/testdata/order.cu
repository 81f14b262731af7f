// What was stored in this launch must not be read as a constant, whatever comes in between.
extern "C" __global__ void constant_read(int* cells, int* out) {
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = __ldg(&cells[63 - threadIdx.x]);
}
extern "C" __global__ void own_constant_read(int* cells, int* out) {
    int before = __ldg(&cells[63 - threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = before + 1;
}
// Threads share what one of them has allocated.
extern "C" __global__ void heap_without_barrier(int* out) {
    __shared__ int* all;
    if (threadIdx.x == 0) all = (int*)malloc(64 * sizeof(int));
    __syncthreads();
    all[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = all[63 - threadIdx.x];
}
extern "C" __global__ void heap_with_barrier(int* out) {
    for (int k = 0; k < 3; k++) {
        __shared__ int* all;
        if (threadIdx.x == 0) all = (int*)malloc(64 * sizeof(int));
        __syncthreads();
        all[threadIdx.x] = threadIdx.x + k;
        __syncthreads();
        out[threadIdx.x] = all[63 - threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) free(all);
    }
}
