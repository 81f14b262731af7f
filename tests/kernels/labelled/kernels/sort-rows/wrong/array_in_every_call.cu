// expect: memory-limit, time-limit, illegal
// why: line 6 gives each call room for all calls below it, and line 8 halves too slowly for it: one number a call
// line: 6, 8, 4
__device__ __noinline__ void sort(int* a, int count) {
    if (count < 2) return;
    int room[1024];
    for (int k = 0; k < count; ++k) room[k] = a[k];
    sort(room + 1, count - 1);
    int k = 1;
    for (; k < count && room[k] < room[0]; ++k) a[k - 1] = room[k];
    a[k - 1] = room[0];
    for (; k < count; ++k) a[k] = room[k];
}
extern "C" __global__ void sort_rows(const int* x, int* sorted, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    for (int k = 0; k < 32; ++k) sorted[32 * row + k] = x[32 * row + k];
    sort(sorted + 32 * row, 32);
}
