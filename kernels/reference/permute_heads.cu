// permute_heads: one row of values to a block, written where it belongs; grid 2048 x 32 x 8, block 64.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void permute_heads_ref(unsigned short* out, const unsigned short* in, unsigned heads, unsigned tokens, unsigned values)
{
    const unsigned token = blockIdx.x, head = blockIdx.y, batch = blockIdx.z, value = threadIdx.x;
    out[((batch * tokens + token) * heads + head) * values + value] = in[((batch * heads + head) * tokens + token) * values + value];
}
