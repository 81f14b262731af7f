// expect: wrong-values, race-global
// why: line 4 strides by gridDim.x only, so elements are updated more than once by different threads
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x)
        y[i] = alpha * x[i] + y[i];
}
