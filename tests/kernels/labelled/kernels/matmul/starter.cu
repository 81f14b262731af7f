extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
}
