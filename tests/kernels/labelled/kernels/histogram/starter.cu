extern "C" __global__ void histogram(const unsigned char* data, unsigned int* hist, int n)
{
}
