// expect: wrong-values, output-untouched
// why: line 5 stops at n-1 so the last element is never written
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) c[i] = a[i] + b[i];
}
