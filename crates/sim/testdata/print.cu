extern "C" __global__ void hello(int n) {
    printf("block %d thread %d of %u: %5.2f %s %c %lld %x %%|%-4d|\n", blockIdx.x, threadIdx.x, n, 1.5f * threadIdx.x, "text", 'c', 1ll << 40, 255, 7);
}
extern "C" __global__ void checked(const int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(a[i] != 3);
}
extern "C" __global__ void flood() {
    for (int k = 0;; k++)
        printf("%d\n", k);
}
extern "C" __global__ void trapped(int n) {
    if (threadIdx.x == n)
        __trap();
}
