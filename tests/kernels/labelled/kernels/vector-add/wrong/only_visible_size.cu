// expect: wrong-values, output-untouched
// why: line 5 works only for n == 1000 and does nothing for other sizes
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n != 1000) return;
    if (i < n) c[i] = a[i] + b[i];
}
