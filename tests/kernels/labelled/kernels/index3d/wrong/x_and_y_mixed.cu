// expect: wrong-values, oob-read, oob-write, race-global
// why: line 8 multiplies by the wrong extents
extern "C" __global__ void index3d(const int* src, int* dst, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        int at = (z * nx + y) * ny + x;
        dst[at] = src[at] + 10000 * z + 100 * y + x;
    }
}
