// expect: oob-write, misaligned, wrong-values, race-global
// why: line 14 stores four floats for each body into an array with three
// line: 14
extern "C" __global__ void nbody(const float4* body, float* acc, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
        float dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
        float f = body[j].w * inv * inv * inv;
        ax += f * dx; ay += f * dy; az += f * dz;
    }
    *(float4*)(acc + 3 * i) = make_float4(ax, ay, az, 0.0f);
}
