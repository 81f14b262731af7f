extern "C" __global__ void count(const unsigned char* in, unsigned int* bins, int n) {
    __shared__ unsigned int mine[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}
extern "C" __global__ void many(int* cells, unsigned long long* wide, float* f, double* d, int n) {
    int i = threadIdx.x;
    atomicMin(&cells[0], i - 5);
    atomicMax(&cells[1], i);
    atomicXor(&cells[2], i);
    atomicOr(&cells[3], 1 << (i & 31));
    atomicAnd(&cells[4], ~(1 << (i & 31)));
    atomicExch(&cells[5], i);
    atomicInc((unsigned*)&cells[6], 9);
    atomicDec((unsigned*)&cells[7], 9);
    atomicSub(&cells[8], 2);
    int old = cells[9], seen;
    do { seen = old; old = atomicCAS(&cells[9], seen, seen + 3); } while (old != seen);
    atomicAdd(wide, 1ull << 33);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
}
