// expect: output-untouched
// why: line 6 stops one element early, so the last one is never written
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) {
        c[i] = a[i] + b[i];
    }
}
