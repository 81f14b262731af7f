// expect: race-global, wrong-values, non-deterministic
// why: thread 0 arrives on line 10 while other threads of its block still work on line 26; a barrier is missing before it
// line: 10, 26
__device__ unsigned arrived;
__device__ volatile unsigned generation;
__device__ void grid_barrier() {
    __threadfence();
    if (threadIdx.x == 0) {
        unsigned now = generation;
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            atomicExch(&arrived, 0);
            __threadfence();
            generation = now + 1;
        } else {
            while (generation == now) {}
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
            to[i] = (from[i] + from[(i + 1) % n]) & 65535;
        grid_barrier();
    }
}
