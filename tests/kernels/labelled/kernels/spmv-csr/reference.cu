// One thread a row.
extern "C" __global__ void spmv_csr(const int* rowptr, const int* col, const float* val, const float* x, float* y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) {
        return;
    }
    double sum = 0.0;
    for (int j = rowptr[row]; j < rowptr[row + 1]; ++j) {
        sum += (double)val[j] * (double)x[col[j]];
    }
    y[row] = (float)sum;
}
