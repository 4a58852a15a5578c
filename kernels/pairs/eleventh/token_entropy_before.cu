// token_entropy_before: entropy of the distribution that a row of logits gives, and its logarithm of the sum, a block to a row.
__device__ __forceinline__ float whole(float v, bool most, float* part)
{
    for (int d = 16; d > 0; d >>= 1) {
        const float o = __shfl_xor_sync(0xffffffffu, v, d);
        v = most ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = v;
    }
    __syncthreads();
    v = part[threadIdx.x % 32];
    for (int d = 16; d > 0; d >>= 1) {
        const float o = __shfl_xor_sync(0xffffffffu, v, d);
        v = most ? fmaxf(v, o) : v + o;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(1024) token_entropy_before(float2* __restrict__ out, const float4* __restrict__ logits, int fours)
{
    __shared__ float part[32];
    const float4* row = logits + (long long)blockIdx.x * fours;
    float most = -1e30f;
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = row[i];
        most = fmaxf(fmaxf(most, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
    }
    most = whole(most, true, part);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = row[i];
        sum += __expf(v.x - most) + __expf(v.y - most) + __expf(v.z - most) + __expf(v.w - most);
    }
    sum = whole(sum, false, part);
    const float scale = 1.0f / sum;
    float mean = 0.0f;
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = row[i];
        mean += scale * (v.x * __expf(v.x - most) + v.y * __expf(v.y - most) + v.z * __expf(v.z - most) + v.w * __expf(v.w - most));
    }
    mean = whole(mean, false, part);
    if (threadIdx.x == 0) {
        const float lse = most + logf(sum);
        out[blockIdx.x] = make_float2(lse - mean, lse);
    }
}
