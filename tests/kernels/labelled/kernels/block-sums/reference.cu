// One thread a block adds the block's elements one by one.
extern "C" __global__ void block_sums(const int* x, int* sums, int n)
{
    if (threadIdx.x != 0) {
        return;
    }
    long long total = 0;
    for (int k = 0; k < 192; ++k) {
        int i = blockIdx.x * 192 + k;
        if (i < n) {
            total += x[i];
        }
    }
    sums[blockIdx.x] = (int)total;
}
