// attention_prefill: one block per query, all its scores in shared memory, sums in double precision; grid queries, block 64.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void attention_prefill_ref(float* out, const float* query, const float* key, const float* value, unsigned prefix, float scale)
{
    __shared__ float weight[6144];
    const unsigned visible = prefix + blockIdx.x + 1u;
    for (unsigned k = threadIdx.x; k < visible; k += 64u) {
        double dot = 0.0;
        for (unsigned d = 0; d < 64u; ++d) {
            dot += static_cast<double>(query[blockIdx.x * 64u + d]) * static_cast<double>(key[k * 64u + d]);
        }
        weight[k] = static_cast<float>(exp(dot * static_cast<double>(scale)));
    }
    __syncthreads();
    double sum = 0.0, total = 0.0;
    for (unsigned k = 0; k < visible; ++k) {
        total += static_cast<double>(weight[k]);
        sum += static_cast<double>(weight[k]) * static_cast<double>(value[k * 64u + threadIdx.x]);
    }
    out[blockIdx.x * 64u + threadIdx.x] = static_cast<float>(sum / total);
}
