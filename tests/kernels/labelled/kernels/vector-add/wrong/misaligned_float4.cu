// expect: misaligned
// why: line 9 loads a float4 from an address that is only 4-byte aligned
// line: 9
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) c[0] = a[0] + b[0];
    int k = 1 + 4 * i;
    if (k + 3 < n) {
        float4 p = *reinterpret_cast<const float4*>(a + k);
        c[k] = p.x + b[k]; c[k + 1] = p.y + b[k + 1]; c[k + 2] = p.z + b[k + 2]; c[k + 3] = p.w + b[k + 3];
    } else {
        for (; k < n; ++k) c[k] = a[k] + b[k];
    }
}
