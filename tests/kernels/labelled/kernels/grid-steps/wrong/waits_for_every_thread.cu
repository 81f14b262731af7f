// expect: time-limit
// why: one thread of each block adds on line 9, but line 10 waits for all threads of the grid
// line: 9, 10
__device__ unsigned arrived;
__device__ void grid_barrier(unsigned round) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < round * gridDim.x * blockDim.x) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps) {
    for (int step = 0; step < 2 * steps; ++step) {
        const int* from = step % 2 ? b : a;
        int* to = step % 2 ? a : b;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            to[i] = (from[i] + from[(i + 1) % n]) & 65535;
        grid_barrier(step + 1);
    }
}
