// dtw_scores_after: dynamic time warping of pairs of series, a thread to a pair, the row of the table in a workspace.
extern "C" __global__ void __launch_bounds__(256) dtw_scores_after(float* __restrict__ out, float* __restrict__ work, const float* __restrict__ left, const float* __restrict__ right, int pairs, int length)
{
    const int pair = blockIdx.x * 256 + threadIdx.x;
    if (pair >= pairs) {
        return;
    }
    for (int j = 0; j < length; ++j) {
        work[(long long)j * pairs + pair] = 1e30f;
    }
    float last = 0.0f;
    for (int i = 0; i < length; ++i) {
        const float a = left[(long long)i * pairs + pair];
        float diagonal = i == 0 ? 0.0f : 1e30f;
        last = 1e30f;
        for (int j = 0; j < length; ++j) {
            const float up = work[(long long)j * pairs + pair];
            const float cost = fabsf(a - right[(long long)j * pairs + pair]);
            last = cost + fminf(fminf(up, last), diagonal);
            diagonal = up;
            work[(long long)j * pairs + pair] = last;
        }
    }
    out[pair] = last;
}
