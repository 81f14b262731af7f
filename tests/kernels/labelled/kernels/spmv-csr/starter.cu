extern "C" __global__ void spmv_csr(const int* rowptr, const int* col, const float* val, const float* x, float* y, int n)
{
}
