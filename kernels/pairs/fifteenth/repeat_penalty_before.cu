// repeat_penalty_before: logits of tokens that a sequence already holds are made smaller.
extern "C" __global__ void __launch_bounds__(256) repeat_penalty_before(float* __restrict__ out, const float* __restrict__ logit, const unsigned int* __restrict__ history, float penalty, int vocabulary, int length)
{
    const int token = blockIdx.x * 256 + threadIdx.x;
    if (token >= vocabulary) {
        return;
    }
    const unsigned int* past = history + (long long)blockIdx.y * length;
    bool seen = false;
    for (int h = 0; h < length; ++h) {
        if (past[h] == (unsigned int)token) {
            seen = true;
            break;
        }
    }
    const long long at = (long long)blockIdx.y * vocabulary + token;
    const float x = logit[at];
    out[at] = seen ? (x > 0.0f ? x / penalty : x * penalty) : x;
}
