// expect: wrong-values
// why: who finds the bin locked on line 6 does not come back, so its number is lost
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        if (atomicCAS(&locks[bin], 0, 1) == 0) {
            __threadfence();
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            __threadfence();
            atomicExch(&locks[bin], 0);
        }
    }
}
