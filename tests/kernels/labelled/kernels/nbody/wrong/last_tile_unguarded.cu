// expect: oob-read, wrong-values
// why: line 10 loads whole tiles of 128 bodies, past the end of the array
// line: 10
extern "C" __global__ void nbody(const float4* body, float* acc, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (int q = 0; q < min(128, n - base); ++q) {
            float dx = tile[q].x - me.x, dy = tile[q].y - me.y, dz = tile[q].z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
            float f = tile[q].w * inv * inv * inv;
            a.x += f * dx; a.y += f * dy; a.z += f * dz;
        }
        __syncthreads();
    }
    if (i < n) { acc[3 * i] = a.x; acc[3 * i + 1] = a.y; acc[3 * i + 2] = a.z; }
}
