// expect: uninit-read
// why: the sum has no start value; the optimiser lets it begin at anything
// line: 8
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m || c >= n) return;
    float s;
    for (int i = 0; i < k; ++i) s += A[r * k + i] * B[i * n + c];
    C[r * n + c] = s;
}
