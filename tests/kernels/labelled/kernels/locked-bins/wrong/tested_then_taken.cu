// expect: race-global, wrong-values, non-deterministic
// why: between the test on line 9 and the store on line 10 others find the lock free, too
// line: 9, 10, 12, 13, 14
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    volatile int* lock = locks;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        for (bool done = false; !done;) {
            if (lock[bin] != 0) continue;
            lock[bin] = 1;
            __threadfence();
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            __threadfence();
            lock[bin] = 0;
            done = true;
        }
    }
}
