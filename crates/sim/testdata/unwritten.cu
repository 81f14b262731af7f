// What is exchanged need not have been written; what is compared with or added to must have been.
extern "C" __global__ void exchanged(int* out) {
    __shared__ int s;
    int old = atomicExch(&s, 5);
    if (threadIdx.x == 0) out[0] = old == 12345 ? 1 : 2;
}
extern "C" __global__ void exchanged_and_dropped(int* out) {
    __shared__ int s[64];
    int old = atomicExch(&s[threadIdx.x], 5);
    out[threadIdx.x] = s[threadIdx.x];
    if (threadIdx.x > 99) out[0] = old;
}
extern "C" __global__ void greatest(int* out) {
    __shared__ int s;
    atomicMax(&s, (int)threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = s;
}
extern "C" __global__ void masked(int* out) {
    __shared__ int s;
    atomicAnd(&s, 2 << threadIdx.x % 8);
    __syncthreads();
    out[threadIdx.x] = s;
}
// Whole structures are copied with the padding that nobody writes.
struct Padded { char tag; double value; };
extern "C" __global__ void padded(int* out) {
    __shared__ Padded all[64];
    Padded mine;
    mine.tag = threadIdx.x % 3;
    mine.value = threadIdx.x;
    all[threadIdx.x] = mine;
    __syncthreads();
    Padded other = all[63 - threadIdx.x], copy[2] = {other, mine};
    if (copy[threadIdx.x % 2].tag == 1) out[threadIdx.x] = (int)copy[0].value;
    else out[threadIdx.x] = copy[threadIdx.x % 2].tag;
}
// Three of four members are written, and a copy moves all.
struct alignas(16) Point { float x, y, z, w; };
extern "C" __global__ void three_of_four(float* out) {
    __shared__ Point all[64];
    Point mine;
    mine.x = threadIdx.x;
    mine.y = mine.x * 2;
    mine.z = mine.x * 3;
    all[threadIdx.x] = mine;
    __syncthreads();
    Point other = all[63 - threadIdx.x];
    out[threadIdx.x] = other.x + other.y + other.z;
}
extern "C" __global__ void fourth_of_four(float* out) {
    __shared__ Point all[64];
    Point mine;
    mine.x = threadIdx.x;
    mine.y = mine.x * 2;
    mine.z = mine.x * 3;
    all[threadIdx.x] = mine;
    __syncthreads();
    Point other = all[63 - threadIdx.x];
    out[threadIdx.x] = other.x + other.w;
}
// Four bytes are read as a word: one that was written, and one that was not.
extern "C" __global__ void second_byte(int* out, int which) {
    __shared__ unsigned words[64];
    ((unsigned char*)&words[threadIdx.x])[1] = threadIdx.x;
    __syncwarp();
    unsigned word = words[threadIdx.x];
    if ((word >> 8 * which & 255) == 5) out[threadIdx.x] = 1;
    else out[threadIdx.x] = 2;
}
