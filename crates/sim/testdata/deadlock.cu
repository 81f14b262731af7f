// Kernels that never end, each for another reason.
extern "C" __global__ void taken_twice(int* lock, int* out) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        while (atomicCAS(lock, 0, 1) != 0) {}
        out[0] += 1;
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void flag_behind_barrier(volatile int* flag, int* out) {
    if (threadIdx.x == 0) {
        while (flag[2] == 0) {}
    }
    __syncthreads();
    if (threadIdx.x == 1) flag[2] = 1;
    out[threadIdx.x] = flag[2];
}

extern "C" __global__ void runs_on(volatile int* flag, int* out) {
    if (threadIdx.x == 0) {
        unsigned x = 1;
        while (x != 0) {
            x = x * 3u + 2u;
            out[0] = x | 1u;
            if (x == 0) x = 1;
        }
    } else {
        while (atomicAdd((int*)flag, 0) == 0) {}
    }
}

extern "C" __global__ void absent_lane(int* flag, int* out) {
    int x = threadIdx.x;
    if (x < 16) {
        __syncwarp();
        out[x] = x;
    } else {
        while (atomicAdd(flag, 0) == 0) {}
    }
}
