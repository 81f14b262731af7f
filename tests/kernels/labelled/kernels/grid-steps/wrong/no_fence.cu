// expect: race-global, wrong-values, non-deterministic
// why: without a fence before the atomic of line 9 what line 23 has stored need not be seen by other blocks on line 23
// line: 9, 23
__device__ unsigned arrived, generation;
__device__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned now = atomicAdd(&generation, 0);
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            atomicExch(&arrived, 0);
            atomicAdd(&generation, 1);
        } else {
            while (atomicAdd(&generation, 0) == now) {}
        }
    }
    __syncthreads();
}
extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps) {
    for (int step = 0; step < 2 * steps; ++step) {
        const int* from = step % 2 ? b : a;
        int* to = step % 2 ? a : b;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            to[i] = (from[i] + from[(i + 1) % n]) & 65535;
        grid_barrier();
    }
}
