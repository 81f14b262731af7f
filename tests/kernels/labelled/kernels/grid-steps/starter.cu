extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps)
{
}
