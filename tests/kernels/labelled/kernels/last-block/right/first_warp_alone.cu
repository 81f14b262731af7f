// expect: accepted
// why: the first warp writes, fences, counts and adds up by itself, so it needs __syncwarp and no barrier of the block
__device__ unsigned ended;
extern "C" __global__ void total(const int* x, int* partial, int* sum, int n) {
    __shared__ int s[4];
    int t = threadIdx.x, v = 0;
    for (int i = blockIdx.x * 256 + t; i < n && i < (blockIdx.x + 1) * 256; i += 128) v += x[i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t >= 32) return;
    unsigned ticket = 0;
    if (t == 0) {
        atomicExch(&partial[blockIdx.x], s[0] + s[1] + s[2] + s[3]);
        __threadfence();
        ticket = atomicAdd(&ended, 1);
        __threadfence();
    }
    ticket = __shfl_sync(~0u, ticket, 0);
    __syncwarp();
    if (ticket != gridDim.x - 1) return;
    int all = 0;
    for (int k = t; k < gridDim.x; k += 32) all += atomicAdd(&partial[k], 0);
    for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(~0u, all, d);
    if (t == 0) {
        sum[0] = all;
        ended = 0;
    }
}
