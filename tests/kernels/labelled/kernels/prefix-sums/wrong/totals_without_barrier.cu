// expect: race-global, wrong-values
// why: the threads of the second launch add each other's totals in place on line 23 without waiting for each other
// line: 23, 22
extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (blockDim.x == 128) {
        s[t] = i < n ? x[i] : 0;
        __syncthreads();
        for (int d = 1; d < 128; d *= 2) {
            int more = t >= d ? s[t - d] : 0;
            __syncthreads();
            s[t] += more;
            __syncthreads();
        }
        if (i < n) prefix[i] = s[t];
        if (t == 127) partial[blockIdx.x] = s[t];
    } else if (blockDim.x == 256) {
        int runs = (n + 127) / 128;
        for (int run = t; run < runs; run += 256) {
            int sum = partial[run];
            if (run > 0) sum += partial[run - 1];
            partial[run] = sum;
        }
    } else if (i < n && i >= 128) {
        prefix[i] += partial[i / 128 - 1];
    }
}
