// expect: race-shared, wrong-values
// why: no barrier follows the loop on line 13, a fast warp refills the tile under a slow one
// line: 13
extern "C" __global__ void nbody(const float4* body, float* acc, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 128) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int q = 0; q < 128; ++q) {
            float dx = tile[q].x - me.x, dy = tile[q].y - me.y, dz = tile[q].z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
            float f = tile[q].w * inv * inv * inv;
            a.x += f * dx; a.y += f * dy; a.z += f * dz;
        }
    }
    if (i < n) { acc[3 * i] = a.x; acc[3 * i + 1] = a.y; acc[3 * i + 2] = a.z; }
}
