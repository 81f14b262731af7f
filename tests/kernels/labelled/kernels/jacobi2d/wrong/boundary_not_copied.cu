// expect: wrong-values, output-untouched
// why: the rim is skipped on line 5 but must be copied
extern "C" __global__ void jacobi2d(const float* u, float* v, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int i = y * w + x;
    v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w]);
}
