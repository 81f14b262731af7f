// expect: compile-error
// why: line 3 names the kernel add_vectors, and the grader launches vector_add
extern "C" __global__ void add_vectors(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
