// kv_gather: one value to a thread; grid 4 x 2048 x 64, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void kv_gather_ref(unsigned short* out, const unsigned short* cache, const unsigned* table, unsigned tokens, unsigned values)
{
    const unsigned value = blockIdx.x * 256u + threadIdx.x, token = blockIdx.y, sequence = blockIdx.z;
    const unsigned page = table[sequence * (tokens / 16u) + token / 16u];
    out[(sequence * tokens + token) * values + value] = cache[(page * 16u + token % 16u) * values + value];
}
