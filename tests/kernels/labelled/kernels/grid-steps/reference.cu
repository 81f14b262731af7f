// One thread does all steps.
extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    for (int step = 0; step < 2 * steps; ++step) {
        int first = a[0];
        for (int i = 0; i < n; ++i) {
            int right = i + 1 < n ? a[i + 1] : first;
            a[i] = (a[i] + right) % 65536;
        }
    }
}
