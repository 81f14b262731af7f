// expect: race-shared, wrong-values, uninit-read
// why: other warps may add on line 9 before thread 0 has cleared s
// line: 9
extern "C" __global__ void dot(const float* x, const float* y, float* out, int n) {
    __shared__ float s;
    if (threadIdx.x == 0) s = 0.0f;
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i] * y[i];
    atomicAdd(&s, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, s);
}
