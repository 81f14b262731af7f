// expect: time-limit
// why: line 22 holds the lock that line 5 takes again, and waits for itself
// line: 5, 22
__device__ void lock(int* at) {
    while (atomicCAS(at, 0, 1) != 0) {}
    __threadfence();
}
__device__ void unlock(int* at) {
    __threadfence();
    atomicExch(at, 0);
}
__device__ void put(int* best, int* place, int* locks, int bin, int v, int i) {
    lock(&locks[bin]);
    best[bin] = v;
    place[bin] = i;
    unlock(&locks[bin]);
}
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    if (threadIdx.x != 0) return;
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        int v = x[i], bin = v % 16;
        lock(&locks[bin]);
        if (v > best[bin] || (v == best[bin] && i < place[bin])) put(best, place, locks, bin, v, i);
        unlock(&locks[bin]);
    }
}
