// expect: output-untouched
// why: line 5 swaps block and thread, so thread 1 goes to element 128 and element 1 has no owner
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = threadIdx.x * blockDim.x + blockIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
