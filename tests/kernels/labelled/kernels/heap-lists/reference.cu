// A thread compares each number with those before it.
extern "C" __global__ void distinct(const int* x, int* count, int* last, int n)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
        int different = 0;
        for (int k = 0; k < 24; ++k) {
            bool is_new = true;
            for (int j = 0; j < k; ++j) {
                is_new = is_new && x[24 * row + j] != x[24 * row + k];
            }
            if (is_new) {
                different += 1;
                last[row] = x[24 * row + k];
            }
        }
        count[row] = different;
    }
}
