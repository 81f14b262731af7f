// One thread an output.
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    double sum = 0.0;
    for (int i = 0; i < k; ++i) {
        sum += (double)A[row * k + i] * (double)B[i * n + column];
    }
    C[row * n + column] = (float)sum;
}
