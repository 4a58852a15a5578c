// token_entropy_after: entropy of the distribution that a row of logits gives, and its logarithm of the sum, a block to a row.
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

extern "C" __global__ void __launch_bounds__(1024) token_entropy_after(float2* __restrict__ out, const float4* __restrict__ logits, int fours)
{
    __shared__ float part[32];
    const float4* row = logits + (long long)blockIdx.x * fours;
    float most = -1e30f, sum = 0.0f, mean = 0.0f;
    for (int i = threadIdx.x; i < fours; i += 1024) {
        const float4 v = row[i];
        const float higher = fmaxf(fmaxf(most, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
        const float shrink = __expf(most - higher);
        const float a = __expf(v.x - higher), b = __expf(v.y - higher), c = __expf(v.z - higher), d = __expf(v.w - higher);
        most = higher;
        sum = sum * shrink + (a + b + c + d);
        mean = mean * shrink + (v.x * a + v.y * b + v.z * c + v.w * d);
    }
    const float highest = whole(most, true, part);
    const float shrink = __expf(most - highest);
    most = highest;
    sum = whole(sum * shrink, false, part);
    mean = whole(mean * shrink, false, part) / sum;
    if (threadIdx.x == 0) {
        const float lse = most + logf(sum);
        out[blockIdx.x] = make_float2(lse - mean, lse);
    }
}
