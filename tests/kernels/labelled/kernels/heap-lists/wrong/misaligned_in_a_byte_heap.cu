// expect: misaligned
// why: line 10 puts an int behind a single byte
// line: 10, 15
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    __shared__ int* all;
    if (threadIdx.x == 0) all = (int*)malloc(64 * 97);
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        int* seen = (int*)((char*)all + 97 * threadIdx.x);
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
