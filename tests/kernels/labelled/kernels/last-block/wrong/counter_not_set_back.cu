// expect: race-global, uninit-read, output-untouched, wrong-values
// why: the counter of line 4 keeps its value, so in the next launch line 23 takes the wrong block for the last one, or none
// line: 4, 23, 21, 29
__device__ unsigned ended;
__device__ int block_sum(int v) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = v;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    __syncthreads();
    return s[0];
}
extern "C" __global__ void total(const int* x, int* partial, int* sum, int n) {
    __shared__ bool is_last;
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int mine = block_sum((i < n ? x[i] : 0) + (i + 128 < n ? x[i + 128] : 0));
    if (t == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        is_last = atomicAdd(&ended, 1) == gridDim.x - 1;
        if (is_last) __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    int all = 0;
    for (int k = t; k < gridDim.x; k += 128) all += partial[k];
    all = block_sum(all);
    if (t == 0) sum[0] = all;
}
