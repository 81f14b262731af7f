// expect: oob-read, oob-write
// why: the bounds guard is missing, line 6 writes and reads past the end
// line: 6
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
