extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    // Threads in all blocks before mine, plus threads before me in my block.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // The grid is rounded up, so the last block may have threads without an element.
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
