// expect: wrong-values, oob-read
// why: line 7 indexes B as if it were stored transposed
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m || c >= n) return;
    float s = 0.0f;
    for (int i = 0; i < k; ++i) s += A[r * k + i] * B[c * k + i];
    C[r * n + c] = s;
}
