// expect: accepted
// why: the counter is never set back; every launch begins where the last one ended, since all add the same
__device__ unsigned arrivals;
__device__ void grid_barrier() {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&arrivals, 1), last = mine - mine % gridDim.x + gridDim.x;
        while ((int)(*(volatile unsigned*)&arrivals - last) < 0) {}
        __threadfence();
    }
    __syncthreads();
}
__device__ void end_of_launch() {
    // The grid of the next launch may be another one: the count begins at zero again.
    if (threadIdx.x == 0 && atomicAdd(&arrivals, 1) % gridDim.x == gridDim.x - 1) arrivals = 0;
}
extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int step = 0; step < steps; ++step) {
        for (int i = first; i < n; i += stride) b[i] = (a[i] + a[(i + 1) % n]) & 65535;
        grid_barrier();
        for (int i = first; i < n; i += stride) a[i] = (b[i] + b[(i + 1) % n]) & 65535;
        if (step < steps - 1) grid_barrier();
    }
    end_of_launch();
}
