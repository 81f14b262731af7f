// Every block adds one to the next block's cell in every round; a barrier of the whole grid lies between.
__device__ unsigned arrived, generation;
__device__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned now = atomicAdd(&generation, 0);
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            atomicExch(&arrived, 0);
            __threadfence();
            atomicAdd(&generation, 1);
        } else {
            while (atomicAdd(&generation, 0) == now) {}
        }
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void rounds(int* cells, int count) {
    for (int k = 0; k < count; k++) {
        if (threadIdx.x == 40) cells[(blockIdx.x + k) % gridDim.x] += k;
        grid_barrier();
    }
}
