// expect: time-limit, barrier-divergence
// why: line 29 is reached only by threads that have an element, so blocks meet it unequally often
// line: 29, 7, 20, 16

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
extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps) {
    for (int step = 0; step < 2 * steps; ++step) {
        const int* from = step % 2 ? b : a;
        int* to = step % 2 ? a : b;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        {
            to[i] = (from[i] + from[(i + 1) % n]) & 65535;
            grid_barrier();
        }
    }
}
