// expect: accepted
// why: the stack looks too small and is not, and no place of it is read before it is written
// A stack of ranges instead of calls. The larger part is put off, so six places are enough for 32 numbers.
extern "C" __global__ void sort_rows(const int* x, int* sorted, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int* a = sorted + 32 * row;
    for (int k = 0; k < 32; ++k) a[k] = x[32 * row + k];
    int from[6], to[6], depth = 0;
    from[0] = 0;
    to[0] = 31;
    while (depth >= 0) {
        int low = from[depth], high = to[depth];
        --depth;
        while (low < high) {
            int pivot = a[(low + high) / 2], i = low, j = high;
            while (i <= j) {
                while (a[i] < pivot) ++i;
                while (a[j] > pivot) --j;
                if (i <= j) {
                    int t = a[i];
                    a[i++] = a[j];
                    a[j--] = t;
                }
            }
            bool left_is_larger = j - low > high - i;
            ++depth;
            from[depth] = left_is_larger ? low : i;
            to[depth] = left_is_larger ? j : high;
            if (left_is_larger) low = i;
            else high = j;
        }
    }
}
