extern "C" __global__ void reduce(const float* in, float* out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}
extern "C" __global__ void divergent(float* out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x;
    if (t < n) {
        part[t] = t;
        __syncthreads();
        out[t] = part[255 - t];
    } else {
        while (((volatile float*)out)[0] == 0.0f) {
        }
        __syncthreads();
    }
}
extern "C" __global__ void early(float* out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x;
    if (t >= n) return;
    part[t] = t;
    __syncthreads();
    out[t] = part[n - 1 - t];
}
extern "C" __global__ void some(float* out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = t;
    if (t < n) {
        __syncthreads();
    }
    out[t] = part[255 - t];
}
extern "C" __global__ void past_end(float* out, int n) {
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = t;
    __syncthreads();
    out[t] = part[n - 1 - t];
}
extern "C" __global__ void dynamic(float* out, int n) {
    extern __shared__ float mine[];
    int t = threadIdx.x;
    mine[t] = t;
    __syncthreads();
    out[t] = mine[blockDim.x - 1 - t];
}
