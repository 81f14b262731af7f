// expect: race-global, wrong-values, non-deterministic
// why: the fence on line 16 comes after the lock is open
// line: 15, 16, 11, 12, 13

extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        for (bool done = false; !done;) {
            if (atomicCAS(&locks[bin], 0, 1) != 0) continue;
            __threadfence();
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            atomicExch(&locks[bin], 0);
            __threadfence();
            done = true;
        }
    }
}
