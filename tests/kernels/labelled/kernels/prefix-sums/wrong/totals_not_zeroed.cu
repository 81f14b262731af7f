// expect: uninit-read, wrong-values
// why: line 7 adds to totals that nobody has set to zero
// line: 7
extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (blockDim.x == 128) {
        if (i < n) atomicAdd(&partial[blockIdx.x], x[i]);
    } else if (blockDim.x == 256) {
        if (t != 0) return;
        int runs = (n + 127) / 128, sum = 0;
        for (int k = 0; k < runs; ++k) {
            int mine = partial[k];
            partial[k] = sum;
            sum += mine;
        }
    } else if (i < n) {
        int sum = partial[i / 128];
        for (int k = i / 128 * 128; k <= i; ++k) sum += x[k];
        prefix[i] = sum;
    }
}
