extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float term, unused;
    if (i < n) {
        if (x[i] >= 0.0f) term = alpha * x[i];
        else term = x[i] * alpha;
        if (n < 0) y[i] = unused;
        y[i] = term + y[i];
    }
}
