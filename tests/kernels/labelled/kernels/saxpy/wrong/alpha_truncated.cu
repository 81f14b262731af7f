// expect: wrong-values
// why: line 4 turns alpha into an int
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n) {
    int k = alpha;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = k * x[i] + y[i];
}
