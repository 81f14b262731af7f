// expect: race-global, wrong-values, non-deterministic
// why: line 11 compares and stores the height in two steps
// line: 11
extern "C" __global__ void lidar_grid(const float* pts, int* count, int* top, int n, int gw, int gh) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = (int)floorf(pts[3 * i]) + gw / 2, cy = (int)floorf(pts[3 * i + 1]) + gh / 2;
    if (cx < 0 || cy < 0 || cx >= gw || cy >= gh) return;
    int c = cy * gw + cx, z = (int)(pts[3 * i + 2] * 100.0f);
    atomicAdd(&count[c], 1);
    if (z > top[c]) top[c] = z;
}
