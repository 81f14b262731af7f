// expect: race-global, uninit-read, wrong-values, nan, non-deterministic
// why: line 9 takes the left and upper neighbour from the array being written
// line: 9
extern "C" __global__ void jacobi2d(const float* u, float* v, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) v[i] = u[i];
    else v[i] = 0.25f * (v[i - 1] + u[i + 1] + v[i - w] + u[i + w]);
}
