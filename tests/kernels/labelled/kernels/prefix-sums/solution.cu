extern "C" __global__ void prefix_sums(const int* x, int* prefix, int* partial, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (blockDim.x == 64) {
        if (i < n) prefix[i] += partial[i / 128];
        return;
    }
    bool is_first = blockDim.x == 128;
    int count = is_first ? n : (n + 127) / 128, carry = 0;
    for (int at = i; at - t < count; at += 256) {
        int mine = at < count ? (is_first ? x[at] : partial[at]) : 0;
        s[t] = mine;
        for (int d = 1; d < blockDim.x; d *= 2) {
            __syncthreads();
            int more = t >= d ? s[t - d] : 0;
            __syncthreads();
            s[t] += more;
        }
        __syncthreads();
        if (is_first) {
            if (at < count) prefix[at] = s[t];
            if (t == 127) partial[blockIdx.x] = s[t];
            return;
        }
        if (at < count) partial[at] = carry + s[t] - mine;
        carry += s[255];
        __syncthreads();
    }
}
