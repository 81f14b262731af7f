// expect: race-global, wrong-values, non-deterministic
// why: nothing makes lines 10 and 11 reach other threads before the lock is opened on line 13
// line: 13, 9, 10, 11
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        for (bool done = false; !done;) {
            if (atomicCAS(&locks[bin], 0, 1) != 0) continue;
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            atomicExch(&locks[bin], 0);
            done = true;
        }
    }
}
