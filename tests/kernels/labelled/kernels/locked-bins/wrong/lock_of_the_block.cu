// expect: race-global, wrong-values, non-deterministic
// why: the locks of line 5 are the block's own, so threads of other blocks change the same bin on line 14
// line: 5, 13, 14, 15
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    __shared__ int own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        for (bool done = false; !done;) {
            if (atomicCAS(&own[bin], 0, 1) != 0) continue;
            __threadfence();
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            __threadfence();
            atomicExch(&own[bin], 0);
            done = true;
        }
    }
}
