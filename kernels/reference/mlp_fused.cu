// mlp_fused: one sample to a thread, sums in double precision; grid 8192, block 128.
// Nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_fp16.h>

__global__ void mlp_fused_ref(__half* out, const __half* in, const __half* hidden, const __half* last, unsigned samples)
{
    const unsigned sample = blockIdx.x * 128u + threadIdx.x;
    float value[64], next[64];
    for (unsigned i = 0; i < 64u; ++i) {
        value[i] = __half2float(in[sample * 64u + i]);
    }
    for (unsigned layer = 0; layer <= 7u; ++layer) {
        for (unsigned n = 0; n < (layer < 7u ? 64u : 16u); ++n) {
            const __half* row = layer < 7u ? hidden + (layer * 64u + n) * 64u : last + n * 64u;
            double sum = 0.0;
            for (unsigned k = 0; k < 64u; ++k) {
                sum += static_cast<double>(__half2float(row[k]) * value[k]);
            }
            next[n] = __half2float(__double2half(layer < 7u ? fmax(sum, 0.0) : sum));
        }
        for (unsigned i = 0; i < 64u; ++i) {
            value[i] = next[i];
        }
    }
    for (unsigned n = 0; n < 16u; ++n) {
        out[sample * 16u + n] = __float2half(value[n]);
    }
}
