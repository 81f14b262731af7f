extern "C" __global__ void lidar_grid(const float* pts, int* count, int* top, int n, int gw, int gh)
{
}
