// expect: accepted
// why: atomicInc wraps to 0 at the last block, so nobody has to set it back; the vote in the barrier tells the whole block
__device__ unsigned ended;
extern "C" __global__ void total(const int* x, int* partial, int* sum, int n) {
    int t = threadIdx.x, i = blockIdx.x * 256 + 2 * t, v = 0;
    if (i < n) v = x[i];
    if (i + 1 < n) v += x[i + 1];
    __shared__ int warps[4];
    v = __reduce_add_sync(~0u, v);
    if (t % 32 == 0) warps[t / 32] = v;
    __syncthreads();
    if (t == 0) partial[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
    bool is_last = false;
    if (t == 0) {
        __threadfence();
        is_last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
    }
    if (!__syncthreads_or(is_last)) return;
    __threadfence();
    int all = 0;
    for (int k = t; k < gridDim.x; k += 128) all += partial[k];
    all = __reduce_add_sync(~0u, all);
    if (t % 32 == 0) warps[t / 32] = all;
    __syncthreads();
    if (t == 0) sum[0] = warps[0] + warps[1] + warps[2] + warps[3];
}
