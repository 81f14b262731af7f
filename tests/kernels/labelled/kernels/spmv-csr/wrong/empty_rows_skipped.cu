// expect: wrong-values, output-untouched
// why: a row without entries leaves on line 6 and its result is never written
extern "C" __global__ void spmv_csr(const int* rowptr, const int* col, const float* val, const float* x, float* y, int n) {
    if (threadIdx.x >= 4) return;
    int row = blockIdx.x * 4 + threadIdx.x;
    if (row >= n || rowptr[row] == rowptr[row + 1]) return;
    float s = 0.0f;
    for (int j = rowptr[row]; j < rowptr[row + 1]; ++j) s += val[j] * x[col[j]];
    y[row] = s;
}
