// expect: oob-write, wrong-values
// why: lines 8, 9 writes cells of points that lie outside the grid
// line: 8, 9
extern "C" __global__ void lidar_grid(const float* pts, int* count, int* top, int n, int gw, int gh) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = (int)floorf(pts[3 * i]) + gw / 2, cy = (int)floorf(pts[3 * i + 1]) + gh / 2;
    atomicAdd(&count[cy * gw + cx], 1);
    atomicMax(&top[cy * gw + cx], (int)(pts[3 * i + 2] * 100.0f));
}
