// expect: wrong-values, oob-read
// why: line 10 takes labels to start at 1
extern "C" __global__ void cross_entropy(const float* logits, const int* label, float* loss, int n, int c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* z = logits + i * c;
    float m = z[0], s = 0.0f;
    for (int j = 1; j < c; ++j) m = fmaxf(m, z[j]);
    for (int j = 0; j < c; ++j) s += expf(z[j] - m);
    loss[i] = logf(s) - (z[label[i] - 1] - m);
}
