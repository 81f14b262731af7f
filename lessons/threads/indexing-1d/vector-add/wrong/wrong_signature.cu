// expect: signature-mismatch
// why: line 3 lacks the parameter n
extern "C" __global__ void vector_add(const float* a, const float* b, float* c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) {
        c[i] = a[i] + b[i];
    }
}
