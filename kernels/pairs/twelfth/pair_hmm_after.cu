// pair_hmm_after: likelihood of a read of 128 bases given a haplotype of 192, as odds against the background.
#define READ 128
#define HAPLOTYPE 192

// A warp to a pair, four bases of the read to a lane; the row above comes from the lane below by a shuffle.
extern "C" __global__ void __launch_bounds__(READ) pair_hmm_after(float* __restrict__ out, const unsigned char* __restrict__ read, const unsigned char* __restrict__ haplotype, float stay, float open, float close, float extend)
{
    __shared__ unsigned char bases[4][HAPLOTYPE];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int pair = blockIdx.x * 4 + warp;
    for (int j = lane; j < HAPLOTYPE; j += 32) {
        bases[warp][j] = haplotype[pair * HAPLOTYPE + j] & 3;
    }
    const uchar4 four = ((const uchar4*)read)[pair * (READ / 4) + lane];
    const int own[4] = {four.x & 3, four.y & 3, four.z & 3, four.w & 3};
    __syncwarp();
    float m[4] = {}, x[4] = {}, y[4] = {};
    const float edge = lane == 0 ? 0x1p64f / HAPLOTYPE : 0.0f;
    float m_before = 0.0f, x_before = 0.0f, y_before = edge;
    float sum = 0.0f;
    for (int s = 0; s < HAPLOTYPE + 31; ++s) {
        float m_above = __shfl_up_sync(0xffffffffu, m[3], 1);
        float x_above = __shfl_up_sync(0xffffffffu, x[3], 1);
        float y_above = __shfl_up_sync(0xffffffffu, y[3], 1);
        if (lane == 0) {
            m_above = x_above = 0.0f;
            y_above = edge;
        }
        const int j = s - lane;
        if (j >= 0 && j < HAPLOTYPE) {
            const int base = bases[warp][j];
            float md = m_before, xd = x_before, yd = y_before;
            float mu = m_above, xu = x_above;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const float odds = base == own[r] ? 3.7f : 0.1f;
                const float match = odds * (stay * md + close * (xd + yd));
                const float insert = open * mu + extend * xu;
                const float remove = open * m[r] + extend * y[r];
                md = m[r];
                xd = x[r];
                yd = y[r];
                m[r] = mu = match;
                x[r] = xu = insert;
                y[r] = remove;
            }
            sum += m[3] + x[3];
        }
        m_before = m_above;
        x_before = x_above;
        y_before = y_above;
    }
    if (lane == 31) {
        out[pair] = sum;
    }
}
