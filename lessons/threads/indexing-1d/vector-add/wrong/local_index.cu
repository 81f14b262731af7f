// expect: output-untouched
// why: line 5 counts inside the block only, so from n = 129 on every block writes the first block's elements
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
