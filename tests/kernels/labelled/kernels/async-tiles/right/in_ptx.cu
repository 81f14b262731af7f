// expect: accepted
// why: one buffer, and every copy is waited for before the barrier
extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles) {
    __shared__ __align__(16) int s[256];
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * threadIdx.x]);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int* from = &x[256 * tile + 4 * threadIdx.x];
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        for (int k = threadIdx.x; k < 256; k += 64) y[256 * tile + k] = s[255 - k] + s[-k & 255];
        __syncthreads();
    }
}
