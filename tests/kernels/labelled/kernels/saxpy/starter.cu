extern "C" __global__ void saxpy(float alpha, const float* x, float* y, int n)
{
}
