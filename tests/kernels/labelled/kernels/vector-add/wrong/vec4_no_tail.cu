// expect: wrong-values, output-untouched
// why: the last n mod 4 elements are never written because line 5 rounds down
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = ((const float4*)a)[i], q = ((const float4*)b)[i];
        ((float4*)c)[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
}
