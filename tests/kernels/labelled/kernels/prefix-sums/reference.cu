// One thread of the second launch adds everything.
extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n)
{
    if (blockDim.x != 256 || threadIdx.x != 0) {
        return;
    }
    long long sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i];
        prefix[i] = (int)sum;
    }
}
