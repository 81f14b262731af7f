// A thread counts for each number how many go before it.
extern "C" __global__ void sort_rows(const int* x, int* sorted, int n)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
        for (int i = 0; i < 32; ++i) {
            int place = 0;
            for (int j = 0; j < 32; ++j) {
                int one = x[32 * row + i], other = x[32 * row + j];
                place += other < one || (other == one && j < i);
            }
            sorted[32 * row + place] = x[32 * row + i];
        }
    }
}
