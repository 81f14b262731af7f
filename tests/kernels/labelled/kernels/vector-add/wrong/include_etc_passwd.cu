// expect: compile-error
// why: line 4 includes a system file by absolute path
// line: 4
#include "/etc/passwd"
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
