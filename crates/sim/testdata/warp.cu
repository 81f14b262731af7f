extern "C" __global__ void sums(const int* in, int* out) {
    int t = threadIdx.x, v = in[t], lane = t % 32;
    int sum = v;
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    int prefix = v;
    for (int o = 1; o < 32; o *= 2) {
        int from = __shfl_up_sync(0xffffffffu, prefix, o);
        if (lane >= o) prefix += from;
    }
    out[t * 6 + 0] = __shfl_sync(0xffffffffu, sum, 0);
    out[t * 6 + 1] = prefix;
    out[t * 6 + 2] = __ballot_sync(0xffffffffu, v > 10);
    out[t * 6 + 3] = __any_sync(0xffffffffu, v > 10) + 2 * __all_sync(0xffffffffu, v > 10);
    out[t * 6 + 4] = __shfl_xor_sync(0xffffffffu, v, 5, 8);
    out[t * 6 + 5] = __syncthreads_count(v > 10) + 1000 * __syncthreads_or(v > 10) + 10000 * __syncthreads_and(v > 10);
}
extern "C" __global__ void matched(const int* in, int* out, double* d) {
    int t = threadIdx.x, v = in[t];
    out[t * 4 + 0] = __match_any_sync(0xffffffffu, v);
    out[t * 4 + 1] = __reduce_add_sync(0xffffffffu, v);
    out[t * 4 + 2] = __reduce_max_sync(0xffffffffu, v);
    out[t * 4 + 3] = __activemask();
    d[t] = __shfl_down_sync(0xffffffffu, (double)v, 1);
}
extern "C" __global__ void lock(int* lock, int* counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *counter += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
extern "C" __global__ void spin(int* lock, volatile int* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *counter += 1;
    __threadfence();
    atomicExch(lock, 0);
}
extern "C" __global__ void nested(int* out, int n) {
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == t) continue;
        if (i > t + 5) break;
        for (int k = 0; k < i; k++) {
            if ((k ^ t) % 3 == 0) continue;
            sum += k;
            if (sum > 100) { out[t] = -sum; return; }
        }
    }
    out[t] = sum;
}
struct Table { float scale; int offsets[4]; };
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__device__ int turns = 3;
extern "C" __global__ void by_value(Table table, float* out, int which) {
    int local[8];
    for (int k = 0; k < 8; k++) local[(k * which) & 7] = k + turns;
    int t = threadIdx.x;
    out[t] = table.scale * table.offsets[(which + t) & 3] + weights[t % 3] + local[(t + which) & 7];
}
