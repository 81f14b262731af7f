// One thread a row: log of the sum of exponentials, less the logit of the label. The largest logit is taken out.
extern "C" __global__ void cross_entropy(const float* logits, const int* label, float* loss, int n, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float* row = logits + (long long)i * c;
    double largest = row[0];
    for (int j = 1; j < c; ++j) {
        largest = fmax(largest, (double)row[j]);
    }
    double sum = 0.0;
    for (int j = 0; j < c; ++j) {
        sum += exp((double)row[j] - largest);
    }
    loss[i] = (float)(largest + log(sum) - (double)row[label[i]]);
}
