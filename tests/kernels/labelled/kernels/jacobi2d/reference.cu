// One thread a cell; the rim is copied.
extern "C" __global__ void jacobi2d(const float* u, float* v, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        v[i] = u[i];
        return;
    }
    double sum = (double)u[i - 1] + (double)u[i + 1] + (double)u[i - w] + (double)u[i + w];
    v[i] = (float)(0.25 * sum);
}
