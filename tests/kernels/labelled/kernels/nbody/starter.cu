extern "C" __global__ void nbody(const float* body, float* acc, int n)
{
}
