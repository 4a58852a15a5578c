// group_norm_after: GroupNorm over 32 groups and SiLU, as before each convolution of a diffusion model.
#include <cuda_fp16.h>

// A block of any size to a group of 16 channels of an image, channels one after another.
extern "C" __global__ void __launch_bounds__(1024) group_norm_after(half2* __restrict__ out, const half2* __restrict__ in, const float* __restrict__ gamma, const float* __restrict__ beta, float epsilon, int plane)
{
    __shared__ float sums[32], squares[32];
    const int pairs = 16 * plane / 2, half_plane = plane / 2, group = blockIdx.x % 32, warps = blockDim.x / 32;
    const half2* from = in + (long long)blockIdx.x * pairs;
    half2* to = out + (long long)blockIdx.x * pairs;
    float s = 0.0f, q = 0.0f;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const float2 v = __half22float2(from[i]);
        s += v.x + v.y;
        q += v.x * v.x + v.y * v.y;
    }
    for (int d = 16; d > 0; d /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, d);
        q += __shfl_xor_sync(0xffffffffu, q, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = s;
        squares[threadIdx.x / 32] = q;
    }
    __syncthreads();
    s = q = 0.0f;
    for (int k = 0; k < warps; ++k) {
        s += sums[k];
        q += squares[k];
    }
    const float mean = s / (2 * pairs), scale = rsqrtf(q / (2 * pairs) - mean * mean + epsilon);
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const int c = group * 16 + i / half_plane;
        const float g = gamma[c] * scale, b = beta[c] - mean * g;
        const float2 v = __half22float2(from[i]);
        const float x = v.x * g + b, y = v.y * g + b;
        to[i] = __floats2half2_rn(x / (1.0f + __expf(-x)), y / (1.0f + __expf(-y)));
    }
}
