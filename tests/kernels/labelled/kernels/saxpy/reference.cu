// One thread an element.
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = (float)((double)alpha * (double)x[i] + (double)y[i]);
    }
}
