// expect: accepted
// why: this is how NVIDIA's sample does it: nobody else counts any more when the last block sets the counter back
__device__ unsigned ended = 0;
__shared__ bool is_last;
extern "C" __global__ void total(const int* x, int* partial, int* sum, int n) {
    __shared__ int s;
    int t = threadIdx.x;
    if (t == 0) s = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < min(n, (int)blockIdx.x * 256 + 256); i += 128) atomicAdd(&s, x[i]);
    __syncthreads();
    if (t == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        unsigned ticket = atomicInc(&ended, gridDim.x);
        is_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        int all = 0;
        for (int k = t; k < gridDim.x; k += 128) all += ((volatile int*)partial)[k];
        if (t == 0) s = 0;
        __syncthreads();
        atomicAdd(&s, all);
        __syncthreads();
        if (t == 0) {
            sum[0] = s;
            ended = 0;
        }
    }
}
