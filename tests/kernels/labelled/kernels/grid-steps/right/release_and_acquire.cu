// expect: accepted
// why: the add releases and the load acquires, so no fence stands alone; the top bit turns over with every barrier
__device__ unsigned barrier_word;
__device__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1, old, now;
        asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;" : "=r"(old) : "l"(&barrier_word), "r"(add) : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&barrier_word) : "memory");
        } while (((old ^ now) & 0x80000000u) == 0);
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
