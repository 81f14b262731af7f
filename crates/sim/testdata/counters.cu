#define TILE 32
extern "C" __global__ void copy(const float* a, float* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
}

extern "C" __global__ void strided(const float* a, float* b) {
    int i = threadIdx.x;
    b[i] = a[i * 8];
}

extern "C" __global__ void transpose(const float* a, float* b) {
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    b[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void padded(const float* a, float* b) {
    __shared__ float tile[TILE][TILE + 1];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    b[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void histogram(const int* a, int* counts) {
    int i = threadIdx.x;
    atomicAdd(&counts[a[i]], 1);
}

extern "C" __global__ void reduce(const float* a, float* sum) {
    __shared__ float part[64];
    int i = threadIdx.x;
    part[i] = a[i];
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (i < step) {
            part[i] += part[i + step];
        }
        __syncthreads();
    }
    if (i == 0) {
        sum[0] = part[0];
    }
}

extern "C" __global__ void split(int* a, int n) {
    int i = threadIdx.x;
    if (i < 8) {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            a[i] = a[i] * 3 + k;
        }
    } else {
        __threadfence();
    }
    a[i] += __shfl_sync(0xffffffff, i, 1);
}

extern "C" __global__ void doubled(double* a) {
    a[threadIdx.x] = a[threadIdx.x] * 2.0 + 1.0;
}
