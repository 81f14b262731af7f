// expect: oob-read, oob-write
// why: line 6 has no guard, so the spare threads of the last block read and write past the end
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
