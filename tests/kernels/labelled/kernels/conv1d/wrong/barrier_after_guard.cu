// expect: uninit-read, barrier-divergence, wrong-values, time-limit
// why: threads past n leave on line 7 before they have loaded their halo part and before the barrier
// line: 7
extern __shared__ float tile[];
extern "C" __global__ void conv1d(const float* x, const float* w, float* y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = k / 2, start = blockIdx.x * blockDim.x - r;
    for (int e = threadIdx.x; e < (int)blockDim.x + k - 1; e += blockDim.x) {
        int p = start + e;
        tile[e] = (p >= 0 && p < n) ? x[p] : 0.0f;
    }
    __syncthreads();
    float s = 0.0f;
    for (int j = 0; j < k; ++j) s += tile[threadIdx.x + j] * w[j];
    y[i] = s;
}
