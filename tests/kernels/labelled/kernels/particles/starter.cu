extern "C" __global__ void particles(const float* before, float* after, float* gap, long long step)
{
}
