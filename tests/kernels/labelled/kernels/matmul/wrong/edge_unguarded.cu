// expect: oob-read, wrong-values
// why: lines 10, 11 loads tiles without asking whether k0+tx and k0+ty are inside k
// line: 10, 11
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    float s = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        As[ty][tx] = r < m ? A[r * k + k0 + tx] : 0.0f;
        Bs[ty][tx] = c < n ? B[(k0 + ty) * n + c] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) s += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (r < m && c < n) C[r * n + c] = s;
}
