// paged_decode: one value of the output to a thread, which computes every score anew in double precision; grid 8 x 64, block 128.
// Nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_fp16.h>

__global__ void paged_decode_ref(float* out, const float* query, const uint2* keys, const uint2* values, const unsigned* table,
                                 unsigned tokens)
{
    const float* q = query + (blockIdx.y * 8u + blockIdx.x) * 128u;
    double total = 0.0, sum = 0.0;
    for (unsigned t = 0; t < tokens; ++t) {
        const unsigned at = ((table[blockIdx.y * 128u + t / 16u] * 8u + blockIdx.x) * 16u + t % 16u) * 32u;
        const __half* key = reinterpret_cast<const __half*>(keys + at);
        double score = 0.0;
        for (unsigned i = 0; i < 128u; ++i) {
            score += static_cast<double>(q[i]) * static_cast<double>(__half2float(key[i]));
        }
        const double share = exp(score / sqrt(128.0));
        total += share;
        sum += share * static_cast<double>(__half2float(reinterpret_cast<const __half*>(values + at)[threadIdx.x]));
    }
    out[(blockIdx.y * 8u + blockIdx.x) * 128u + threadIdx.x] = static_cast<float>(sum / total);
}
