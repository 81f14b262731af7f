// expect: output-untouched, wrong-values
// why: line 12 allocates for each number and nothing is freed, so the heap runs out and line 13 leaves rows without a result
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int* seen = nullptr;
    int found = 0;
    for (int k = 0; k < 24; ++k) {
        int v = x[24 * row + k], at = 0;
        while (at < found && seen[at] != v) ++at;
        if (at < found) continue;
        int* more = (int*)malloc(4096 * sizeof(int));
        if (!more) return;
        for (int j = 0; j < found; ++j) more[j] = seen[j];
        seen = more;
        seen[found++] = v;
    }
    count[row] = found;
    last[row] = seen[found - 1];
}
