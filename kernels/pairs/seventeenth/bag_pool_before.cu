// bag_pool_before: rows of a table of embeddings summed with weights, eight to a bag (features of many values in a recommender).
#define CHUNKS 8
#define ROWS 8

// A bag a thread.
extern "C" __global__ void __launch_bounds__(256) bag_pool_before(float4* __restrict__ out, const float4* __restrict__ table, const unsigned int* __restrict__ index, const float* __restrict__ weight, int bags)
{
    const int bag = blockIdx.x * 256 + threadIdx.x;
    if (bag >= bags) {
        return;
    }
    const unsigned int* rows = index + (long long)bag * ROWS;
    const float* weights = weight + (long long)bag * ROWS;
    for (int c = 0; c < CHUNKS; ++c) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int r = 0; r < ROWS; ++r) {
            const float w = weights[r];
            const float4 v = table[(long long)rows[r] * CHUNKS + c];
            sum.x += w * v.x;
            sum.y += w * v.y;
            sum.z += w * v.z;
            sum.w += w * v.w;
        }
        out[(long long)bag * CHUNKS + c] = sum;
    }
}
