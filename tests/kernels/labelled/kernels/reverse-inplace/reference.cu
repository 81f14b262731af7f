// One thread a pair.
extern "C" __global__ void reverse_inplace(int* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int first = a[i];
        int last = a[n - 1 - i];
        a[i] = last;
        a[n - 1 - i] = first;
    }
}
