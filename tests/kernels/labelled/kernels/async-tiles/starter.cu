extern "C" __global__ void reverse_tiles(const int* x, int* y, int tiles)
{
}
