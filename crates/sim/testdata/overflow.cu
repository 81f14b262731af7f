extern "C" __global__ void square(float* out, int n) {
    int i = threadIdx.x + 50000;
    int at = i * i;
    if (at < n)
        out[at] = 1.0f;
}
extern "C" __global__ void rows(float* out, int n) {
    int row = threadIdx.x + 40 * n;
    out[row * 65536] = 1.0f;
}
// Wide enough, and still past the end.
extern "C" __global__ void wide(float* out, int n) {
    long long i = threadIdx.x + 50000;
    out[i * i] = 1.0f;
}
extern "C" __global__ void narrow(float* out, int n) {
    int i = threadIdx.x + n;
    out[i] = 1.0f;
}
