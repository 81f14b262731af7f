// expect: time-limit
// why: line 6 doubles i in every round, and for the first thread 0 doubled stays 0
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i *= 2) {
        c[i] = a[i] + b[i];
    }
}
