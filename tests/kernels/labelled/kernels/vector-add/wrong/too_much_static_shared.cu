// expect: compile-error, launch-error
// why: line 5 asks for 256 KB of static shared memory
// line: 5
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    __shared__ float tile[65536];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n) c[i] = tile[threadIdx.x ^ 0] + b[i];
    if (i < n && n < 0) c[i] = tile[n & 65535];
}
