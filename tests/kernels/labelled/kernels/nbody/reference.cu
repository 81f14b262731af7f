// One thread a body.
extern "C" __global__ void nbody(const float* body, float* acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    double ax = 0.0, ay = 0.0, az = 0.0;
    for (int j = 0; j < n; ++j) {
        double dx = (double)body[4 * j] - (double)body[4 * i];
        double dy = (double)body[4 * j + 1] - (double)body[4 * i + 1];
        double dz = (double)body[4 * j + 2] - (double)body[4 * i + 2];
        double squared = dx * dx + dy * dy + dz * dz + 1e-2;
        double pull = (double)body[4 * j + 3] / (squared * sqrt(squared));
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    acc[3 * i] = (float)ax;
    acc[3 * i + 1] = (float)ay;
    acc[3 * i + 2] = (float)az;
}
