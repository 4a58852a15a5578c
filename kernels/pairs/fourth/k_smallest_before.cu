// k_smallest_before: the 16 smallest of 512 distances to a query, a query to a thread, sorted by insertion in an array with a running index.
extern "C" __global__ void __launch_bounds__(256) k_smallest_before(float* out, const float* __restrict__ distance, int queries, int candidates)
{
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    float best[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        best[k] = 3.0e38f;
    }
    for (int i = 0; i < candidates; ++i) {
        const float d = distance[(long long)i * queries + q];
        if (d < best[15]) {
            int k = 15;
            while (k > 0 && best[k - 1] > d) {
                best[k] = best[k - 1];
                --k;
            }
            best[k] = d;
        }
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        out[(long long)k * queries + q] = best[k];
    }
}
