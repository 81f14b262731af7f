// One thread an element adds its run from the start; the last one of a run has its total.
extern "C" __global__ void warp_sums(const int* x, int* tot, int* pre, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    long long sum = 0;
    for (int j = i / 32 * 32; j <= i; ++j) {
        sum += x[j];
    }
    pre[i] = (int)sum;
    if (i % 32 == 31 || i == n - 1) {
        tot[i / 32] = (int)sum;
    }
}
