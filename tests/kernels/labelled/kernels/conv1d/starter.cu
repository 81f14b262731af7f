extern "C" __global__ void conv1d(const float* x, const float* w, float* y, int n, int k)
{
}
