// expect: wrong-values
// why: line 7 keeps the sum in an int, which drops the fraction
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = a[i] + b[i];
        c[i] = sum;
    }
}
