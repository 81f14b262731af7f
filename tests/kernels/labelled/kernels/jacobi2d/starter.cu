extern "C" __global__ void jacobi2d(const float* u, float* v, int w, int h)
{
}
