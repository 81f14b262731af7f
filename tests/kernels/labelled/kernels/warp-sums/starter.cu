extern "C" __global__ void warp_sums(const int* x, int* tot, int* pre, int n)
{
}
