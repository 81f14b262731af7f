// expect: oob-read, wrong-values
// why: line 9 goes on to the first entry of the next row, past the end for the last row
// line: 9
extern "C" __global__ void spmv_csr(const int* rowptr, const int* col, const float* val, const float* x, float* y, int n) {
    if (threadIdx.x >= 4) return;
    int row = blockIdx.x * 4 + threadIdx.x;
    if (row < n) {
        float s = 0.0f;
        for (int j = rowptr[row]; j <= rowptr[row + 1]; ++j) s += val[j] * x[col[j]];
        y[row] = s;
    }
}
