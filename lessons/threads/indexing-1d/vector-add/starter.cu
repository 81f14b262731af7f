// One thread per element: c[i] = a[i] + b[i].
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    // Which element is mine? Does it exist?
}
