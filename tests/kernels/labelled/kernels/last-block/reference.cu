// One thread adds everything.
extern "C" __global__ void total(const int* x, int* partial, int* sum, int n)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    long long all = 0;
    for (int i = 0; i < n; ++i) {
        all += x[i];
    }
    sum[0] = (int)all;
}
