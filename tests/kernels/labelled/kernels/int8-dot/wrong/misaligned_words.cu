// expect: misaligned
// why: line 9 reads whole words though rows start at any byte when k is no multiple of 4
// line: 9
extern "C" __global__ void int8_dot(const signed char* a, const signed char* b, int* c, int m, int n, int k) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= n || y >= m) return;
    const signed char *p = a + y * k, *q = b + x * k;
    int s = 0, i = 0;
    for (; i + 4 <= k; i += 4) s = __dp4a(*(const int*)(p + i), *(const int*)(q + i), s);
    for (; i < k; ++i) s += p[i] * q[i];
    c[y * n + x] = s;
}
