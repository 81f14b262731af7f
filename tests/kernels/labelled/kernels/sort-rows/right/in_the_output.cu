// expect: accepted
// why: each thread sorts its own row where it lies; no other thread touches it
// Sorts in the output itself, by exchanging; the array of each call has only its own half.
__device__ __noinline__ void sort(int* a, int count) {
    if (count <= 2) {
        if (count == 2 && a[1] < a[0]) {
            int t = a[0];
            a[0] = a[1];
            a[1] = t;
        }
        return;
    }
    sort(a, count / 2);
    sort(a + count / 2, count / 2);
    for (int i = count / 2; i < count; ++i) {
        int v = a[i], k = i;
        for (; k > 0 && a[k - 1] > v; --k) a[k] = a[k - 1];
        a[k] = v;
    }
}
extern "C" __global__ void sort_rows(const int* x, int* sorted, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    for (int k = 0; k < 32; ++k) sorted[32 * row + k] = x[32 * row + k];
    sort(sorted + 32 * row, 32);
}
