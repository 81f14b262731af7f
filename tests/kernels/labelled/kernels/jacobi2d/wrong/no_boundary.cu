// expect: oob-read, wrong-values
// why: line 8 applies the stencil at the rim too and reads outside the grid
// line: 8
extern "C" __global__ void jacobi2d(const float* u, float* v, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w]);
}
