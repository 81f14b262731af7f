// expect: wrong-values, oob-read
// why: line 8 indexes x with the entry number where the column number is meant
extern "C" __global__ void spmv_csr(const int* rowptr, const int* col, const float* val, const float* x, float* y, int n) {
    if (threadIdx.x >= 4) return;
    int row = blockIdx.x * 4 + threadIdx.x;
    if (row < n) {
        float s = 0.0f;
        for (int j = rowptr[row]; j < rowptr[row + 1]; ++j) s += val[j] * x[j];
        y[row] = s;
    }
}
