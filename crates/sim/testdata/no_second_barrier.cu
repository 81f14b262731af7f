extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    float s = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        As[ty][tx] = (r < m && k0 + tx < k) ? A[r * k + k0 + tx] : 0.0f;
        Bs[ty][tx] = (c < n && k0 + ty < k) ? B[(k0 + ty) * n + c] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) s += As[ty][i] * Bs[i][tx];
    }
    if (r < m && c < n) C[r * n + c] = s;
}
