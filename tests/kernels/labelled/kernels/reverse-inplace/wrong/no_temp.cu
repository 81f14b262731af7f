// expect: race-global, wrong-values, non-deterministic
// why: line 6 writes an element another thread may still have to read
// line: 6
extern "C" __global__ void reverse_inplace(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[n - 1 - i] = a[i];
}
