// expect: wrong-values
// why: the first result for an n is kept in __device__ memory and replayed on line 10 for later launches of that n
__device__ float store[1 << 20];
__device__ int stored_n;
__device__ int arrived;
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool replay = stored_n == n;
    if (i < n) {
        if (replay) c[i] = store[i];
        else { float s = a[i] + b[i]; c[i] = s; store[i] = s; }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&arrived, 1) == (int)gridDim.x - 1) { arrived = 0; stored_n = n; __threadfence(); }
    }
}
