// expect: oob-write
// why: line 10 stores without a guard, although the loads in line 8 have one
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i < n) {
        sum = a[i] + b[i];
    }
    c[i] = sum;
}
