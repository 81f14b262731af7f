// expect: race-global, wrong-values, non-deterministic
// why: nothing makes lane 0 wait on line 21 for the other lanes, which still work on line 16
// line: 21, 16, 17, 15
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int chunk = (blockIdx.x * blockDim.x + threadIdx.x) / 32; chunk * 32 < n; chunk += warps) {
        int v[32];
        for (int k = 0; k < 32; ++k) v[k] = chunk * 32 + k < n ? x[chunk * 32 + k] : -1;
        if (lane == 0)
            while (atomicCAS(&locks[0], 0, 1) != 0) {}
        __threadfence();
        __syncwarp();
        for (int k = 0; k < 32; ++k) {
            if (v[k] < 0 || v[k] % 16 != lane) continue;
            if (v[k] > best[lane] || (v[k] == best[lane] && chunk * 32 + k < place[lane])) {
                best[lane] = v[k];
                place[lane] = chunk * 32 + k;
            }
        }
        __threadfence();
        if (lane == 0) atomicExch(&locks[0], 0);
        __syncwarp();
    }
}
