// expect: compile-error
// why: line 8 uses an undeclared name, in a file with CRLF ends and tabs
// line: 8
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + bb[i];
}
