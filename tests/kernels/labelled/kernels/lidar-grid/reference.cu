// One thread takes the points in order.
extern "C" __global__ void lidar_grid(const float* pts, int* count, int* top, int n, int gw, int gh)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    for (int i = 0; i < n; ++i) {
        int column = (int)floorf(pts[3 * i]) + gw / 2;
        int row = (int)floorf(pts[3 * i + 1]) + gh / 2;
        if (column < 0 || column >= gw || row < 0 || row >= gh) {
            continue;
        }
        int cell = row * gw + column;
        int height = (int)(pts[3 * i + 2] * 100.0f);
        count[cell] += 1;
        if (height > top[cell]) {
            top[cell] = height;
        }
    }
}
