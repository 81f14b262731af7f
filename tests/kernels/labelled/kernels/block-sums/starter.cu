extern "C" __global__ void block_sums(const int* x, int* sums, int n)
{
}
