// expect: accepted
// why: the lanes of a warp take the lock one after the other, so none spins while its neighbour holds it; volatile reads and writes go to memory
__device__ void lock(int* at) {
    while (atomicExch(at, 1) != 0) {}
    __threadfence();
}
__device__ void unlock(int* at) {
    __threadfence();
    atomicExch(at, 0);
}
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    volatile int *greatest = best, *first = place;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        for (int turn = 0; turn < 32; ++turn) {
            if (turn != threadIdx.x % 32) continue;
            lock(&locks[bin]);
            if (v > greatest[bin] || (v == greatest[bin] && i < first[bin])) {
                greatest[bin] = v;
                first[bin] = i;
            }
            unlock(&locks[bin]);
        }
    }
}
