// kivi_keys_before: keys of a cache in four bits, a range to each channel of 64 tokens (keys have channels that stand out).
#include <cuda_fp16.h>

#define DEPTH 128
#define TOKENS 64
#define PITCH (DEPTH / 2)

// A block to 64 tokens of a head: the tile in shared memory, then a warp to two channels and lanes along the tokens.
extern "C" __global__ void __launch_bounds__(256) kivi_keys_before(unsigned int* __restrict__ packed, float2* __restrict__ range, const half2* __restrict__ key)
{
    __shared__ half2 tile[TOKENS][PITCH];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const half2* from = key + (long long)blockIdx.x * TOKENS * (DEPTH / 2);
#pragma unroll
    for (int i = threadIdx.x; i < TOKENS * DEPTH / 2; i += 256) {
        tile[i / (DEPTH / 2)][i % (DEPTH / 2)] = from[i];
    }
    __syncthreads();
    for (int c = warp; c < DEPTH / 2; c += 8) {
        const half2 a = tile[lane][c], b = tile[lane + 32][c];
        half2 least = __hmin2(a, b), most = __hmax2(a, b);
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            least = __hmin2(least, __shfl_xor_sync(0xffffffffu, least, d));
            most = __hmax2(most, __shfl_xor_sync(0xffffffffu, most, d));
        }
        const float2 low = __half22float2(least), high = __half22float2(most), f = __half22float2(a), g = __half22float2(b);
        const float sx = high.x > low.x ? __fdividef(15.0f, high.x - low.x) : 0.0f, sy = high.y > low.y ? __fdividef(15.0f, high.y - low.y) : 0.0f;
        const int shift = lane % 8 * 4;
        unsigned int code[4] = {
            __float2uint_rn((f.x - low.x) * sx) << shift,
            __float2uint_rn((g.x - low.x) * sx) << shift,
            __float2uint_rn((f.y - low.y) * sy) << shift,
            __float2uint_rn((g.y - low.y) * sy) << shift,
        };
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
            for (int d = 1; d < 8; d *= 2) {
                code[k] |= __shfl_xor_sync(0xffffffffu, code[k], d);
            }
        }
        const int k = lane % 8;
        if (k < 4) {
            const long long channel = (long long)blockIdx.x * DEPTH + 2 * c + k / 2;
            packed[channel * 8 + k % 2 * 4 + lane / 8] = k == 0 ? code[0] : k == 1 ? code[1] : k == 2 ? code[2] : code[3];
        }
        if (lane < 2) {
            range[(long long)blockIdx.x * DEPTH + 2 * c + lane] = lane ? make_float2(low.y, high.y) : make_float2(low.x, high.x);
        }
    }
}
