// expect: uninit-read, wrong-values
// why: line 27 reads shared memory that an earlier launch has filled on line 17; it does not outlive its block
// line: 27, 17, 6
__device__ int totals[512];
extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n) {
    __shared__ int s[128], before;
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
        if (t == 127) partial[blockIdx.x] = s[127];
    } else if (blockDim.x == 256) {
        if (t != 0) return;
        int runs = (n + 127) / 128;
        before = 0;
        for (int k = 0; k < runs; ++k) {
            totals[k] = before;
            before += partial[k];
        }
    } else if (i < n) {
        prefix[i] = totals[i / 128] + s[i % 128];
    }
}
