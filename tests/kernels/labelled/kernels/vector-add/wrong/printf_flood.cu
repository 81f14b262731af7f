// expect: output-limit, time-limit
// why: line 5 prints a hundred lines from every thread
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 100; ++k) printf("thread %d step %d value %f\n", i, k, i < n ? a[i] : 0.0f);
    if (i < n) c[i] = a[i] + b[i];
}
