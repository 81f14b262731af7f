// expect: wrong-values, race-global, output-untouched
// why: line 4 leaves out blockIdx.x, so every block does the same first 256 elements
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
