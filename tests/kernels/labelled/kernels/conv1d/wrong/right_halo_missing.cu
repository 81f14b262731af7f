// expect: uninit-read, wrong-values
// why: the right halo is never loaded, the fill on line 7 covers only one element a thread
// line: 7
extern __shared__ float tile[];
extern "C" __global__ void conv1d(const float* x, const float* w, float* y, int n, int k) {
    int r = k / 2, p = (int)(blockIdx.x * blockDim.x + threadIdx.x) - r;
    tile[threadIdx.x] = (p >= 0 && p < n) ? x[p] : 0.0f;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int j = 0; j < k; ++j) s += tile[threadIdx.x + j] * w[j];
        y[i] = s;
    }
}
