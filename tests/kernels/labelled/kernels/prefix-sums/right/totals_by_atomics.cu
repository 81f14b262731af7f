// expect: accepted
// why: the three launches share variables of the device; each block of the last one reads totals that an earlier launch added up
__device__ int totals[512];
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
        if (t == 0) atomicExch(&totals[blockIdx.x], s[127]);
    } else if (blockDim.x == 256) {
        int runs = (n + 127) / 128;
        for (int run = t; run < runs; run += 256) {
            int before = 0;
            for (int k = 0; k < run; ++k) before += totals[k];
            partial[run] = before;
        }
    } else if (i < n) {
        prefix[i] += partial[blockIdx.x / 2];
    }
}
