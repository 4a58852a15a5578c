// radix_pass_before: a pass of a segmented radix sort, segments of 4,096 keys, a digit of eight bits, stable; keys are written to where they belong.
extern "C" __global__ void __launch_bounds__(256) radix_pass_before(unsigned* out, const unsigned* __restrict__ in, int shift)
{
    __shared__ unsigned counts[8][256], ends[8];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, first = blockIdx.x * 4096;
    unsigned key[16], rank[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        key[i] = in[first + warp * 512 + i * 32 + lane];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        counts[i][t] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const unsigned digit = key[i] >> shift & 255, same = __match_any_sync(~0u, digit), below = __popc(same & ((1u << lane) - 1));
        rank[i] = counts[warp][digit] + below;
        __syncwarp();
        if (below == 0) {
            counts[warp][digit] += __popc(same);
        }
        __syncwarp();
    }
    __syncthreads();
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const unsigned mine = counts[i][t];
        counts[i][t] = all;
        all += mine;
    }
    unsigned before = all;
    for (int d = 1; d < 32; d *= 2) {
        const unsigned other = __shfl_up_sync(~0u, before, d);
        before += lane >= d ? other : 0;
    }
    if (lane == 31) {
        ends[warp] = before;
    }
    __syncthreads();
    before -= all;
    for (int i = 0; i < warp; ++i) {
        before += ends[i];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        counts[i][t] += before;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        out[first + counts[warp][key[i] >> shift & 255] + rank[i]] = key[i];
    }
}
