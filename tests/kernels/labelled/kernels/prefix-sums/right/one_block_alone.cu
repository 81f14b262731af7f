// expect: accepted
// why: the second launch does all the work, and the others end at once
extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n) {
    if (blockDim.x != 256) return;
    __shared__ int sums[8];
    int t = threadIdx.x, carry = 0;
    for (int first = 0; first < n; first += 256) {
        int i = first + t, v = i < n ? x[i] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(~0u, v, d);
            if (t % 32 >= d) v += u;
        }
        if (t % 32 == 31) sums[t / 32] = v;
        __syncthreads();
        int all = 0;
        for (int w = 0; w < 8; ++w) {
            if (w < t / 32) v += sums[w];
            all += sums[w];
        }
        if (i < n) prefix[i] = carry + v;
        carry += all;
        __syncthreads();
    }
}
