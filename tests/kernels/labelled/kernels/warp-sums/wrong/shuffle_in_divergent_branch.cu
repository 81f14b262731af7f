// expect: barrier-divergence, wrong-values, time-limit
// why: line 8 shuffles inside a branch that lanes below d do not take
// line: 8
extern "C" __global__ void warp_sums(const int* x, int* tot, int* pre, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2)
        if (lane >= d) v += __shfl_up_sync(0xffffffffu, v, d);
    if (i < n) pre[i] = v;
    int all = __shfl_sync(0xffffffffu, v, 31);
    if (lane == 0 && i < n) tot[i / 32] = all;
}
