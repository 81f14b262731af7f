// expect: uninit-read
// why: for a negative x nothing is stored in `term`, and the optimiser takes the other way for both
// line: 9
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float term;
    if (i < n) {
        if (x[i] >= 0.0f) term = alpha * x[i];
        y[i] = term + y[i];
    }
}
