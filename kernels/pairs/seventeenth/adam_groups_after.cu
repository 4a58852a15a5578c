// adam_groups_after: a step of AdamW on the tensors of a model that lie one after another, each with a rate and a decay of its own.
// 1,024 weights of one list of tensors to a block.
extern "C" __global__ void __launch_bounds__(256) adam_groups_after(float* __restrict__ weight_out, float* __restrict__ first_out, float* __restrict__ second_out, const float* __restrict__ weight, const float* __restrict__ gradient, const float* __restrict__ first, const float* __restrict__ second, const unsigned int* __restrict__ start, const float* __restrict__ rate, const float* __restrict__ decay, float beta1, float beta2, float epsilon, int tensors, int n)
{
    __shared__ int begin;
    if (threadIdx.x == 0) {
        int low = 0, high = tensors;
        while (low + 1 < high) {
            const int middle = (low + high) / 2;
            if (start[middle] <= blockIdx.x * 1024) {
                low = middle;
            } else {
                high = middle;
            }
        }
        begin = low;
    }
    __syncthreads();
    int t = begin;
    for (int k = 0; k < 4; ++k) {
        const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
        if (i >= n) {
            return;
        }
        while (t + 1 < tensors && start[t + 1] <= (unsigned int)i) {
            ++t;
        }
        const float g = gradient[i];
        const float m = beta1 * first[i] + (1.0f - beta1) * g;
        const float v = beta2 * second[i] + (1.0f - beta2) * g * g;
        const float w = weight[i];
        first_out[i] = m;
        second_out[i] = v;
        weight_out[i] = w - rate[t] * (m / (sqrtf(v) + epsilon) + decay[t] * w);
    }
}
