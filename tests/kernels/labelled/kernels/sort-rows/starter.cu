extern "C" __global__ void sort_rows(const int* x, int* sorted, int n)
{
}
