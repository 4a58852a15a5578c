// repeat_penalty_after: logits of tokens that a sequence already holds are made smaller.
#define STRETCH 1024

// A block to 1,024 tokens: those of the history are marked once.
extern "C" __global__ void __launch_bounds__(256) repeat_penalty_after(float* __restrict__ out, const float* __restrict__ logit, const unsigned int* __restrict__ history, float penalty, int vocabulary, int length)
{
    __shared__ bool seen[STRETCH];
    const unsigned int first = blockIdx.x * STRETCH;
    for (int i = threadIdx.x; i < STRETCH; i += 256) {
        seen[i] = false;
    }
    __syncthreads();
    for (int h = threadIdx.x; h < length; h += 256) {
        const unsigned int d = history[(long long)blockIdx.y * length + h] - first;
        if (d < STRETCH) {
            seen[d] = true;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < STRETCH; i += 256) {
        const int token = first + i;
        if (token < vocabulary) {
            const long long at = (long long)blockIdx.y * vocabulary + token;
            const float x = logit[at];
            out[at] = seen[i] ? (x > 0.0f ? x / penalty : x * penalty) : x;
        }
    }
}
