// expect: race-global, wrong-values, non-deterministic
// why: line 7 reads the bin before it has the lock, while others store to it on line 12
// line: 7, 12
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        bool done = v < best[bin];
        while (!done) {
            if (atomicCAS(&locks[bin], 0, 1) != 0) continue;
            __threadfence();
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            __threadfence();
            atomicExch(&locks[bin], 0);
            done = true;
        }
    }
}
