// expect: race-global, uninit-read, wrong-values
// why: line 19 reads totals that other blocks of the same launch store on line 16
// line: 19, 16
extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n) {
    if (blockDim.x != 128) return;
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int more = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += more;
        __syncthreads();
    }
    if (t == 127) partial[blockIdx.x] = s[127];
    __syncthreads();
    int before = 0;
    for (int k = 0; k < blockIdx.x; ++k) before += partial[k];
    if (i < n) prefix[i] = before + s[t];
}
