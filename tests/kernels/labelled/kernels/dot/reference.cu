// One thread adds everything.
extern "C" __global__ void dot(const float* x, const float* y, float* out, int n)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (double)x[i] * (double)y[i];
    }
    out[0] = (float)sum;
}
