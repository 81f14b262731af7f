// expect: race-global, wrong-values, non-deterministic
// why: each step reads and writes the same ring on line 26
// line: 26

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
        int* ring = a;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            ring[i] = (ring[i] + ring[(i + 1) % n]) & 65535;
        grid_barrier();
    }
}
