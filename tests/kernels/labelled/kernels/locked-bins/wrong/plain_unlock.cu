// expect: race-global, wrong-values, time-limit
// why: line 15 opens the lock by a plain store, which others compare and swap at the same time on line 8
// line: 15, 8
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
            __threadfence();
            locks[bin] = 0;
            done = true;
        }
    }
}
