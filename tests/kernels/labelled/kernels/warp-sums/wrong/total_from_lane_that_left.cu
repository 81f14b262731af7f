// expect: wrong-values, output-untouched, barrier-divergence
// why: lanes past n have returned, and the total of a part-filled warp is stored on line 12 by lane 31, which is gone
extern "C" __global__ void warp_sums(const int* x, int* tot, int* pre, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int lane = threadIdx.x & 31, v = x[i];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    pre[i] = v;
    if (lane == 31) tot[i / 32] = v;
}
