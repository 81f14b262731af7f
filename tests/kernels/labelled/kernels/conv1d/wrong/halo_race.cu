// expect: race-shared, uninit-read, wrong-values
// why: there is no barrier between filling the tile and the sum on line 14
// line: 14
extern __shared__ float tile[];
extern "C" __global__ void conv1d(const float* x, const float* w, float* y, int n, int k) {
    int r = k / 2, start = blockIdx.x * blockDim.x - r;
    for (int e = threadIdx.x; e < (int)blockDim.x + k - 1; e += blockDim.x) {
        int p = start + e;
        tile[e] = (p >= 0 && p < n) ? x[p] : 0.0f;
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int j = 0; j < k; ++j) s += tile[threadIdx.x + j] * w[j];
        y[i] = s;
    }
}
