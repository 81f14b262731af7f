extern "C" __global__ void index3d(const int* src, int* dst, int nx, int ny, int nz)
{
}
