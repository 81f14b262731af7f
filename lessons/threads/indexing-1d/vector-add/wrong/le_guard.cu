// expect: oob-read, oob-write
// why: line 6 lets the thread with i = n through, and valid elements end at n - 1
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        c[i] = a[i] + b[i];
    }
}
