// expect: oob-read, oob-write
// why: line 8 does not check z, with an odd nz a whole plane past the end is written
// line: 8
extern "C" __global__ void index3d(const int* src, int* dst, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny) {
        int at = (z * ny + y) * nx + x;
        dst[at] = src[at] + 10000 * z + 100 * y + x;
    }
}
