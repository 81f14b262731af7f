// expect: compile-error
// why: line 6 uses idx, which is declared nowhere
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        c[i] = a[i] + b[i];
    }
}
