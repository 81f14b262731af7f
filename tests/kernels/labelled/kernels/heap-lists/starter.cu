extern "C" __global__ void distinct(const int* x, int* count, int* last, int n)
{
}
