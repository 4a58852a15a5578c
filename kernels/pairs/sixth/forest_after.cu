// forest_after: sums over the trees of a forest of depth 10, a thread to a sample of 32 features, samples and a tree in shared memory.
extern "C" __global__ void __launch_bounds__(256) forest_after(float* out, const float* __restrict__ sample, const unsigned* __restrict__ feature, const float* __restrict__ threshold, const float* __restrict__ leaf, int trees)
{
    __shared__ float own[32][256];
    __shared__ uint2 tree[1024];
    __shared__ float end[1024];
    const long long id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int q = 0; q < 8; ++q) {
        const float4 v = reinterpret_cast<const float4*>(sample + id * 32)[q];
        own[4 * q][threadIdx.x] = v.x;
        own[4 * q + 1][threadIdx.x] = v.y;
        own[4 * q + 2][threadIdx.x] = v.z;
        own[4 * q + 3][threadIdx.x] = v.w;
    }
    float sum = 0.0f;
    for (int t = 0; t < trees; ++t) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 1024; k += 256) {
            const int at = k + threadIdx.x;
            tree[at] = make_uint2(feature[t * 1024 + at], __float_as_uint(threshold[t * 1024 + at]));
            end[at] = leaf[t * 1024 + at];
        }
        __syncthreads();
        int node = 0;
#pragma unroll
        for (int level = 0; level < 10; ++level) {
            const uint2 n = tree[node];
            node = 2 * node + 1 + (own[n.x][threadIdx.x] > __uint_as_float(n.y));
        }
        sum += end[node - 1023];
    }
    out[id] = sum;
}
