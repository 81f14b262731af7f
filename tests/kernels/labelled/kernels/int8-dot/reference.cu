// One thread an output.
extern "C" __global__ void int8_dot(const signed char* a, const signed char* b, int* c, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    long long sum = 0;
    for (int i = 0; i < k; ++i) {
        sum += (int)a[row * k + i] * (int)b[column * k + i];
    }
    c[row * n + column] = (int)sum;
}
