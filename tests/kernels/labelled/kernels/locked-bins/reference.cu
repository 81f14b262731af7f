// One thread looks at everything.
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    for (int i = 0; i < n; ++i) {
        int bin = x[i] % 16;
        if (x[i] > best[bin]) {
            best[bin] = x[i];
            place[bin] = i;
        }
    }
}
