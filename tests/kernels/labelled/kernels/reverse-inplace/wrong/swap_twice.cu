// expect: race-global, wrong-values, non-deterministic
// why: line 6 lets every thread swap, so each pair is swapped by two threads
// line: 6
extern "C" __global__ void reverse_inplace(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}
