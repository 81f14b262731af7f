// One thread a particle, in double.
__device__ void moved(const float* before, int i, double dt, double* out)
{
    out[0] = before[4 * i] + before[4 * i + 2] * dt;
    out[1] = before[4 * i + 1] + before[4 * i + 3] * dt;
    out[2] = 0.5 * before[4 * i + 2];
    out[3] = before[4 * i + 3] - dt;
}

extern "C" __global__ void particles(const float* before, float* after, float* gap, long long step)
{
    int n = (int)step;
    double dt = __int_as_float((int)(step >> 32));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    double mine[4], next[4], distance = 0.0;
    moved(before, i, dt, mine);
    for (int k = 0; k < 4; ++k) {
        after[4 * i + k] = (float)mine[k];
    }
    if (i + 1 < n) {
        moved(before, i + 1, dt, next);
        distance = (next[0] - mine[0]) * (next[0] - mine[0]) + (next[1] - mine[1]) * (next[1] - mine[1]);
    }
    gap[i] = (float)distance;
}
