// expect: uninit-read, wrong-values
// why: line 17 leaves out the first run, since it needs no offset, but every other run needs its total on line 22
// line: 17, 22, 26
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
        if (t == 127 && blockIdx.x > 0) partial[blockIdx.x] = s[t];
    } else if (blockDim.x == 256) {
        if (t != 0) return;
        int runs = (n + 127) / 128, sum = 0;
        for (int k = 0; k < runs; ++k) {
            sum += partial[k];
            partial[k] = sum;
        }
    } else if (i < n && i >= 128) {
        prefix[i] += partial[i / 128 - 1];
    }
}
