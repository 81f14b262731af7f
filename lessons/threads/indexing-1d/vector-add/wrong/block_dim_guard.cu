// expect: oob-read, oob-write
// why: line 6 compares with the block's size; the length of the vectors is n
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < blockDim.x) {
        c[i] = a[i] + b[i];
    }
}
