extern "C" __global__ void total(const int* x, int* partial, int* sum, int n)
{
}
