// expect: illegal, race-global, wrong-values
// why: thread 0 frees on line 20 what other threads may still read on line 10
// line: 20, 10, 14, 15, 18
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    __shared__ int* all;
    if (threadIdx.x == 0) all = (int*)malloc(64 * 24 * sizeof(int));
    __syncthreads();
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
    if (threadIdx.x == 0) free(all);
}
