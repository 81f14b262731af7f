// expect: wrong-values
// why: the sums on line 22 contain the run's own total, which line 25 adds again
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
        if (t != 0) return;
        int runs = (n + 127) / 128, sum = 0;
        for (int k = 0; k < runs; ++k) {
            sum += partial[k];
            partial[k] = sum;
        }
    } else if (i < n) {
        prefix[i] += partial[i / 128];
    }
}
