// expect: oob-read, oob-write
// why: lines 8, 9 mirrors to n-i, which is one past the end for i = 0
// line: 8, 9
extern "C" __global__ void reverse_inplace(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int t = a[i];
        a[i] = a[n - i];
        a[n - i] = t;
    }
}
