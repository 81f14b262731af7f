// Compiled with -G: optimised, the first two lose their mistake.
__device__ float half_of(float v) { return v * 0.5f; }

extern "C" __global__ void one_way(const int* a, int* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x;
    if (a[i] > 3) x = 3;
    if (i < n) b[i] = x;
}

extern "C" __global__ void no_start(const float* a, float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum;
    for (int j = 0; j < 4; j++) sum += half_of(a[i + j]);
    if (i < n) b[i] = sum;
}

// Nobody uses what is not set.
extern "C" __global__ void both_ways(const int* a, int* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x;
    int only_sometimes;
    if (a[i] > 3) x = 3; else x = 4;
    if (a[i] > 5) only_sometimes = a[i];
    if (a[i] > 5) x += only_sometimes;
    if (i < n) b[i] = x;
}

extern "C" __global__ void own_array(const int* a, int* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int window[4];
    for (int j = 0; j < 3; j++) window[j] = a[i + j];
    int sum = 0;
    for (int j = 0; j < 4; j++) sum += window[j];
    if (i < n) b[i] = sum;
}

// The sum of a dead load and a store.
extern "C" __global__ void dead_load(const int* a, int* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = a[i + 1];
    b[i] = i;
}
