#define K extern "C" __global__ void
#define F __device__ __noinline__
F int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
K factorials(int* out) { out[threadIdx.x] = factorial(threadIdx.x % 12); }

F bool odd(int n);
F bool even(int n) { return n == 0 ? true : odd(n - 1); }
F bool odd(int n) { return n == 0 ? false : even(n - 1); }
K parities(int* out) { out[threadIdx.x] = even(threadIdx.x) * 2 + odd(threadIdx.x); }

F int twice(int x) { return 2 * x; }
F int square(int x) { return x * x; }
F int negated(int x) { return -x; }
typedef int (*Function)(int);
__device__ Function table[3] = {twice, square, negated};
__constant__ Function constant[2] = {negated, twice};
__device__ int cells[4] = {10, 20, 30, 40};
__device__ int* third = &cells[2];
K pointers(int* out) {
    int i = threadIdx.x;
    out[i] = table[i % 3](i) + constant[i / 16](1000) + *third;
}
K chosen(int* out, int which) {
    Function f = which == 0 ? twice : square;
    out[threadIdx.x] = f(threadIdx.x);
}
K wild(int* out, Function f) { out[threadIdx.x] = threadIdx.x == 5 ? f(1) : 0; }

F int endless(int n, volatile int* out) {
    int rest = endless(n + 1, out);
    *out = rest;
    return rest + n;
}
K too_deep(int* out) { out[0] = endless(threadIdx.x, out); }

struct Pair { double sum; char tag; int parts[5]; };
F Pair changed(Pair given, int by) {
    given.sum *= by;
    given.tag++;
    for (int i = 0; i < 5; i++) given.parts[i] += by * i;
    return given;
}
K structs(double* out) {
    Pair pair = {1.5, 'a', {1, 2, 3, 4, 5}};
    Pair other = changed(changed(pair, threadIdx.x + 1), 2);
    out[threadIdx.x] = other.sum + other.tag + other.parts[4] * 1000 + pair.parts[4] * 0.25;
}

F int first_above(const int* a, int n, int bound) {
    for (int i = 0; i < n; i++)
        if (a[i] > bound) return i;
    return -1;
}
K searched(const int* a, int* out, int n) {
    int sum = 0;
    for (int round = 0; round < 4; round++) sum += first_above(a, n, threadIdx.x + round);
    out[threadIdx.x] = sum;
}

F int slow(int x, const int* a) { return a[x] + a[x + 1] + a[x + 2] + a[x + 3]; }
K joined(const int* a, int* out) {
    int i = threadIdx.x, sum = 0;
    if (i % 2) sum = slow(i, a);
    else sum = slow(i + 1, a) * 2;
    sum += slow(i + 2, a);
    out[i] = sum + __shfl_xor_sync(~0u, sum, 1);
}

F float total(float x) {
    __shared__ float parts[64];
    parts[threadIdx.x] = x;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 64; i++) sum += parts[i];
    __syncthreads();
    return sum;
}
K barriers(float* out) { out[threadIdx.x] = total(threadIdx.x) + total(1.0f); }

F int peek(int n, int which) {
    int room[4];
    for (int i = 0; i < n; i++) room[i] = i;
    return room[which];
}
K unwritten(int* out) {
    int a = peek(4, threadIdx.x % 4);
    int b = peek(2, threadIdx.x % 4);
    out[threadIdx.x] = a + b;
}
F int* dangling(int n) {
    int room[8];
    for (int i = 0; i < 8; i++) room[i] = i * n;
    int* volatile p = room;
    return p;
}
K after_return(int* out) { out[threadIdx.x] = dangling(3)[threadIdx.x % 8]; }

F int at(const int* a, int i) { return a[i]; }
K past(const int* a, int* out) { out[threadIdx.x] = at(a, threadIdx.x); }

F int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
K ackermanns(int* out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3); }
