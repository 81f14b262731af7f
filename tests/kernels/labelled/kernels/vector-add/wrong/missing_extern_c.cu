// expect: compile-error
// why: line 4 lacks extern "C", so no symbol is called vector_add
// line: 4
__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
