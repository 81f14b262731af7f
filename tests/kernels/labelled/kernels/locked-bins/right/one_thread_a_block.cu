// expect: accepted
// why: only thread 0 spins, after the block has found its own best in shared memory; the last unlock of a bin is a compare and swap
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    __shared__ unsigned long long mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicMax(&mine[x[i] % 16], (unsigned long long)(x[i] + 1) << 32 | (0x7fffffff - i));
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int bin = 0; bin < 16; ++bin) {
        if (mine[bin] == 0) continue;
        int v = (int)(mine[bin] >> 32) - 1, i = 0x7fffffff - (int)mine[bin];
        while (atomicCAS(&locks[bin], 0, 1) != 0) {}
        __threadfence();
        if (v > best[bin] || (v == best[bin] && i < place[bin])) {
            best[bin] = v;
            place[bin] = i;
        }
        __threadfence();
        atomicCAS(&locks[bin], 1, 0);
    }
}
