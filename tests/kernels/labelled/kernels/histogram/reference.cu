// One thread counts everything.
extern "C" __global__ void histogram(const unsigned char* data, unsigned int* hist, int n)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    for (int i = 0; i < n; ++i) {
        hist[data[i]] += 1;
    }
}
