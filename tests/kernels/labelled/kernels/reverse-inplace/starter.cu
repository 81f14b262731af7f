extern "C" __global__ void reverse_inplace(int* a, int n)
{
}
