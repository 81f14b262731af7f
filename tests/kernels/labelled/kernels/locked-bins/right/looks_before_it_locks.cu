// expect: accepted
// why: the look without the lock is an atomic of a value that only grows and is written by atomics; it is looked at again behind the lock
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        bool done = atomicAdd(&best[bin], 0) > v;
        while (!done) {
            if (atomicCAS(&locks[bin], 0, 1) == 0) {
                __threadfence();
                int now = atomicAdd(&best[bin], 0);
                if (v > now || (v == now && i < place[bin])) {
                    atomicExch(&best[bin], v);
                    place[bin] = i;
                }
                __threadfence();
                atomicExch(&locks[bin], 0);
                done = true;
            }
        }
    }
}
