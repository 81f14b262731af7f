// expect: uninit-read, wrong-values
// why: line 12 reads counts that nobody has set to 0, as if line 7 did
// line: 12, 7
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int* seen = (int*)malloc(32 * sizeof(int));
    if (!seen) return;
    int found = 0;
    for (int k = 0; k < 24; ++k) {
        int v = x[24 * row + k];
        if (seen[v]++ == 0) {
            found += 1;
            last[row] = v;
        }
    }
    count[row] = found;
    free(seen);
}
