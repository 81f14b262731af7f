extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int* seen = (int*)malloc(24 * sizeof(int));
    if (!seen) return;
    int found = 0;
    for (int k = 0; k < 24; ++k) {
        int v = x[24 * row + k], at = 0;
        while (at < found && seen[at] != v) ++at;
        if (at == found) seen[found++] = v;
    }
    count[row] = found;
    last[row] = seen[found - 1];
    free(seen);
}
