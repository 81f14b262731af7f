// expect: input-modified
// why: line 8 keeps the sum in a, which belongs to the caller
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* sum = (float*)a;
    if (i < n) {
        sum[i] += b[i];
        c[i] = sum[i];
    }
}
