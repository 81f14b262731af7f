// expect: oob-read, wrong-values
// why: line 8 reads before the start and past the end of x
// line: 8
extern "C" __global__ void conv1d(const float* x, const float* w, float* y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int j = 0; j < k; ++j) s += x[i + j - k / 2] * w[j];
    y[i] = s;
}
