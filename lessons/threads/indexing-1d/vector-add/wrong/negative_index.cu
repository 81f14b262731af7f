// expect: oob-read, oob-write
// why: line 5 counts from one, so thread 0 of block 0 owns element -1
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x - 1;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
