// expect: accepted
// why: threads are served in the order of their tickets; who is served is read through volatile, and the next is called behind a fence
__device__ unsigned tickets[16];
__device__ volatile unsigned served[16];
extern "C" __global__ void locked_bins(const int* x, int* best, int* place, int* locks, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i], bin = v % 16;
        unsigned ticket = atomicAdd(&tickets[bin], 1);
        for (bool done = false; !done;) {
            if (served[bin] != ticket) continue;
            __threadfence();
            if (v > best[bin] || (v == best[bin] && i < place[bin])) {
                best[bin] = v;
                place[bin] = i;
            }
            __threadfence();
            served[bin] = ticket + 1;
            done = true;
        }
    }
}
