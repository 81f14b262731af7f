// expect: race-shared, uninit-read, illegal, oob-read, oob-write
// why: without a barrier the other threads read on line 9 a pointer that thread 0 has not stored on line 6
// line: 9, 6
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    __shared__ int* all;
    if (threadIdx.x == 0) all = (int*)malloc(64 * 24 * sizeof(int));
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        int* seen = all + 24 * threadIdx.x;
        int found = 0;
        for (int k = 0; k < 24; ++k) {
            int v = x[24 * row + k], at = 0;
            while (at < found && seen[at] != v) ++at;
            if (at == found) seen[found++] = v;
        }
        count[row] = found;
        last[row] = seen[found - 1];
    }
    __syncthreads();
    if (threadIdx.x == 0) free(all);
}
