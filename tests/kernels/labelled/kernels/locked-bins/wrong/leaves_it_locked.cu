// expect: time-limit
// why: who has nothing to change on line 10 goes on without opening the lock
// line: 10, 8
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        for (bool done = false; !done;) {
            if (atomicCAS(&locks[bin], 0, 1) != 0) continue;
            __threadfence();
            if (v < best[bin] || (v == best[bin] && i > place[bin])) break;
            best[bin] = v;
            place[bin] = i;
            __threadfence();
            atomicExch(&locks[bin], 0);
            done = true;
        }
    }
}
