// expect: race-global, time-limit
// why: the variable of line 4 is stored to plainly on line 12 and read plainly on line 14, so the compiler may read it once and wait for ever
// line: 4, 12, 14
__device__ unsigned arrived, released;
__device__ void grid_barrier(unsigned round) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            atomicExch(&arrived, 0);
            __threadfence();
            released = round;
        }
        while (released != round) {}
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
    if (threadIdx.x == 0 && atomicAdd(&arrived, 1) == gridDim.x - 1) arrived = released = 0;
}
