// mxfp4_moe: one output to a thread, weights by table; grid outputs / 256 x CAPACITY x EXPERTS, block 256. The flags of the
// kernel give the shape; with -DQUEUED there is a queue of tiles, which stays as it is. Nothing clever: what kernels of this
// folder's parent are checked against.

#include <cstdint>
#include <cuda_bf16.h>

__device__ float row_times_weights(const __nv_bfloat16* x, const uint8_t* weight, const uint8_t* scale, size_t column)
{
    const float magnitude[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    float sum = 0.0f;
    for (unsigned block = 0; block < DEPTH / 32; ++block) {
        const float power = exp2f(static_cast<float>(scale[column * (DEPTH / 32) + block]) - 127.0f);
        float part = 0.0f;
        for (unsigned k = block * 32u; k < block * 32u + 32u; ++k) {
            const unsigned code = weight[column * (DEPTH / 2) + k / 2u] >> 4u * (k % 2u) & 15u;
            part += __bfloat162float(x[k]) * (code < 8u ? magnitude[code] : -magnitude[code - 8u]);
        }
        sum += part * power;
    }
    return sum;
}

__global__ void mxfp4_moe_ref(__nv_bfloat16* out, const __nv_bfloat16* x, const unsigned* index, const unsigned* count,
                              const uint8_t* weight, const uint8_t* scale
#ifdef QUEUED
                              , unsigned*
#endif
)
{
    const unsigned output = blockIdx.x * 256u + threadIdx.x, row = blockIdx.y, expert = blockIdx.z;
#ifdef RAGGED
    const unsigned rows = count[expert + 1u] - count[expert];
    const size_t place = size_t(count[expert]) + row;
#else
    const unsigned rows = count[expert];
    const size_t place = size_t(expert) * CAPACITY + row;
#endif
    if (row >= rows) {
        return;
    }
    const __nv_bfloat16* token = x + size_t(index[place]) * DEPTH;
    const size_t first = size_t(expert) * COLUMNS;
#if SWIGLU
    const float gate = row_times_weights(token, weight, scale, first + 2u * output);
    const float up = row_times_weights(token, weight, scale, first + 2u * output + 1u);
    out[place * (COLUMNS / 2) + output] = __float2bfloat16(gate / (1.0f + expf(-gate)) * up);
#else
    out[place * COLUMNS + output] = __float2bfloat16(row_times_weights(token, weight, scale, first + output));
#endif
}
