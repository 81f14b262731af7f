// expect: barrier-divergence, wrong-values, launch-error, time-limit
// why: the mask on line 8 names 16 lanes while all 32 call the shuffle
// line: 8
extern "C" __global__ void warp_sums(const int* x, int* tot, int* pre, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0x0000ffffu, v, d);
        if (lane >= d) v += u;
    }
    if (i < n) pre[i] = v;
    int all = __shfl_sync(0xffffffffu, v, 31);
    if (lane == 0 && i < n) tot[i / 32] = all;
}
