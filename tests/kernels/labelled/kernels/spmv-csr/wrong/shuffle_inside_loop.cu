// expect: barrier-divergence, wrong-values, time-limit
// why: the full-mask shuffle on line 10 stands in a loop that lanes leave at different times
// line: 10
extern "C" __global__ void spmv_csr(const int* rowptr, const int* col, const float* val, const float* x, float* y, int n) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= n) return;
    float total = 0.0f;
    for (int j = rowptr[row] + lane; j < rowptr[row + 1]; j += 32) {
        float s = val[j] * x[col[j]];
        for (int d = 16; d; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
        total += s;
    }
    if (lane == 0) y[row] = total;
}
