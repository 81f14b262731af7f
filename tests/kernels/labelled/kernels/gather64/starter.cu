extern "C" __global__ void gather64(const long long* src, long long* dst, int step, int n)
{
}
