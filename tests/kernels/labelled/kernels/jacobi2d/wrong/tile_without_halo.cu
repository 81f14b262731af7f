// expect: oob-shared, wrong-values, uninit-read
// why: the 16x16 tile has no halo, line 11 reads outside it at the tile rim
// line: 11
extern "C" __global__ void jacobi2d(const float* u, float* v, int w, int h) {
    __shared__ float t[16][16];
    int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * 16 + lx, y = blockIdx.y * 16 + ly;
    t[ly][lx] = (x < w && y < h) ? u[y * w + x] : 0.0f;
    __syncthreads();
    if (x >= w || y >= h) return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) v[y * w + x] = t[ly][lx];
    else v[y * w + x] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
