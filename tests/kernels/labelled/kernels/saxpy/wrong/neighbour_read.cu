// expect: oob-read, wrong-values
// why: line 6 reads x one place too far
// line: 6
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * x[i + 1] + y[i];
}
