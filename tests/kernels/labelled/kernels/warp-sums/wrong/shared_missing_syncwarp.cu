// expect: race-shared, wrong-values
// why: no __syncwarp separates the read and the write of line 10 between lanes
// line: 10
extern "C" __global__ void warp_sums(const int* x, int* tot, int* pre, int n) {
    __shared__ int s[4][64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    s[w][lane] = 0;
    s[w][32 + lane] = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) s[w][32 + lane] += s[w][32 + lane - d];
    if (i < n) {
        pre[i] = s[w][32 + lane];
        if (lane == 0) tot[i / 32] = s[w][63];
    }
}
