// expect: oob-read
// why: line 8 reads one past the end, and the optimiser removes it since nobody uses the value
// line: 8
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float own = x[i];
        float next = x[i + 1];
        float between = own * (next - next);
        y[i] = alpha * own + y[i];
    }
}
