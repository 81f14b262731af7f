// expect: oob-shared
// why: line 7 uses shared memory 64 KB beyond what the launch provides
// line: 7
extern __shared__ float tile[];
extern "C" __global__ void conv1d(const float* x, const float* w, float* y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[16384 + threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i >= n) return;
    float s = 0.0f;
    for (int j = 0; j < k; ++j) {
        int p = i + j - k / 2;
        if (p >= 0 && p < n) s += (p == i ? tile[16384 + threadIdx.x] : x[p]) * w[j];
    }
    y[i] = s;
}
