// expect: race-global, uninit-read, wrong-values
// why: line 15 reads numbers that other threads copy to the heap on line 9, and no barrier lies between
// line: 15, 9, 18
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    __shared__ int* all;
    int first = blockIdx.x * 64, rows = min(64, n - first);
    if (threadIdx.x == 0) all = (int*)malloc(64 * 24 * sizeof(int));
    __syncthreads();
    for (int k = threadIdx.x; k < rows * 24; k += 64) all[k] = x[first * 24 + k];
    if (threadIdx.x < rows) {
        int* mine = all + 24 * threadIdx.x;
        int found = 0;
        for (int k = 0; k < 24; ++k) {
            int at = 0;
            while (at < k && mine[at] != mine[k]) ++at;
            if (at < k) continue;
            found += 1;
            last[first + threadIdx.x] = mine[k];
        }
        count[first + threadIdx.x] = found;
    }
    __syncthreads();
    if (threadIdx.x == 0) free(all);
}
