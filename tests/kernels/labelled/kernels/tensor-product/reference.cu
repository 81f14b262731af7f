// One thread an element, in double.
#include <cuda_fp16.h>
extern "C" __global__ void tensor_product(const __half* A, const __half* B, float* C, int m, int n, int k)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m * n; i += gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (int j = 0; j < k; ++j) {
            sum += (double)__half2float(A[i / n * k + j]) * (double)__half2float(B[j * n + i % n]);
        }
        C[i] = (float)sum;
    }
}
