// forest_before: sums over the trees of a forest of depth 10, a thread to a sample of 32 features.
extern "C" __global__ void __launch_bounds__(256) forest_before(float* out, const float* __restrict__ sample, const unsigned* __restrict__ feature, const float* __restrict__ threshold, const float* __restrict__ leaf, int trees)
{
    const long long id = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < trees; ++t) {
        int node = 0;
#pragma unroll
        for (int level = 0; level < 10; ++level) {
            const float x = sample[id * 32 + feature[t * 1024 + node]];
            node = 2 * node + 1 + (x > threshold[t * 1024 + node]);
        }
        sum += leaf[t * 1024 + node - 1023];
    }
    out[id] = sum;
}
