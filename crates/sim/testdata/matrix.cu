extern "C" __global__ void transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    int tx = blockIdx.y * 16 + threadIdx.x;
    int ty = blockIdx.x * 16 + threadIdx.y;
    if (tx < rows && ty < cols) out[ty * rows + tx] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void swapped(const float* in, float* out, int rows, int cols) {
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows)
        out[x * rows + y] = in[x * cols + y];
}
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
        c[y * n + x] = sum;
    }
}
extern "C" __global__ void vectors(const float* a, float* out) {
    float4 v = ((const float4*)a)[threadIdx.x];
    ((float4*)out)[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}
extern "C" __global__ void misaligned(const float* a, float* out) {
    float4 v = *(const float4*)(a + threadIdx.x);
    out[threadIdx.x] = v.x + v.w;
}
