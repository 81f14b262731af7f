// expect: race-global, wrong-values, non-deterministic
// why: __syncthreads on line 7 only waits for the own block, but the mirror element belongs to another block
// line: 7
extern "C" __global__ void reverse_inplace(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? a[n - 1 - i] : 0;
    __syncthreads();
    if (i < n) a[i] = v;
}
