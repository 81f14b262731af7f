// expect: wrong-values
// why: lines 7 and 9 take the particles for four arrays, one for each member
struct Step { int n; float dt; };
extern "C" __global__ void particles(const float* before, float* after, float* gap, Step step) {
    int n = step.n, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float *x = before, *y = before + n, *vx = before + 2 * n, *vy = before + 3 * n;
    float mx = x[i] + vx[i] * step.dt, my = y[i] + vy[i] * step.dt;
    after[i] = mx;
    after[n + i] = my;
    after[2 * n + i] = vx[i] * 0.5f;
    after[3 * n + i] = vy[i] - step.dt;
    float square = 0.0f;
    if (i + 1 < n) {
        float dx = x[i + 1] + vx[i + 1] * step.dt - mx, dy = y[i + 1] + vy[i + 1] * step.dt - my;
        square = dx * dx + dy * dy;
    }
    gap[i] = square;
}
