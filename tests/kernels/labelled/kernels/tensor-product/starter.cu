#include <cuda_fp16.h>
extern "C" __global__ void tensor_product(const __half* A, const __half* B, float* C, int m, int n, int k)
{
}
