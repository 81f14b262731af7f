// expect: uninit-read, wrong-values
// why: the part of a tile outside the matrices is left unset by lines 10, 11 but is added in
// line: 10, 11
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    float s = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        if (r < m && k0 + tx < k) As[ty][tx] = A[r * k + k0 + tx];
        if (c < n && k0 + ty < k) Bs[ty][tx] = B[(k0 + ty) * n + c];
        __syncthreads();
        for (int i = 0; i < 16; ++i) s += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (r < m && c < n) C[r * n + c] = s;
}
