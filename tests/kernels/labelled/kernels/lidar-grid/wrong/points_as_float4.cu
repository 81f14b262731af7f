// expect: oob-read, wrong-values
// why: line 7 reads points of four floats where the array has three a point
// line: 7
extern "C" __global__ void lidar_grid(const float4* pts, int* count, int* top, int n, int gw, int gh) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pts[i];
    int cx = (int)floorf(p.x) + gw / 2, cy = (int)floorf(p.y) + gh / 2;
    if (cx < 0 || cy < 0 || cx >= gw || cy >= gh) return;
    atomicAdd(&count[cy * gw + cx], 1);
    atomicMax(&top[cy * gw + cx], (int)(p.z * 100.0f));
}
