// text_scores_after: mean score of the words of a text.
extern "C" __global__ void __launch_bounds__(256) text_scores_after(float* __restrict__ out, const unsigned int* __restrict__ word, const float* __restrict__ score, int texts, int length, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= texts) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < length; ++k) {
        const unsigned int own = word[k * texts + i];
        sum += score[own];
    }
    out[i] = sum / length;
}
