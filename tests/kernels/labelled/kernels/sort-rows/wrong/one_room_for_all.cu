// expect: race-shared, wrong-values
// why: the room of line 21 is shared by all threads of the block, and each merges there for itself on line 8
// line: 21, 8, 10
__device__ void merge(int* a, int* room, int count) {
    int half = count / 2, i = 0, j = half;
    for (int k = 0; k < count; ++k) {
        bool is_left = j == count || (i < half && a[i] <= a[j]);
        room[k] = is_left ? a[i++] : a[j++];
    }
    for (int k = 0; k < count; ++k) a[k] = room[k];
}
__device__ __noinline__ void sort(int* a, int* room, int count) {
    if (count < 2) return;
    sort(a, room, count / 2);
    sort(a + count / 2, room, count - count / 2);
    merge(a, room, count);
}
extern "C" __global__ void sort_rows(const int* x, int* sorted, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    __shared__ int room[32];
    int mine[32];
    for (int k = 0; k < 32; ++k) mine[k] = x[32 * row + k];
    sort(mine, room, 32);
    for (int k = 0; k < 32; ++k) sorted[32 * row + k] = mine[k];
}
