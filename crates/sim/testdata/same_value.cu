// Several threads store to one place.
extern "C" __global__ void one_value(const int* a, int* out) {
    if (a[threadIdx.x] > 3) {
        out[0] = 1;
    }
}

extern "C" __global__ void own_values(const int* a, int* out) {
    out[0] = a[threadIdx.x];
}

extern "C" __global__ void read_too(const int* a, int* out) {
    if (a[threadIdx.x] > 3) {
        out[0] = 1;
    }
    out[threadIdx.x + 1] = ((volatile int*)out)[0];
}
