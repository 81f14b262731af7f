extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n)
{
}
