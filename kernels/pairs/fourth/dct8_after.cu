// dct8_after: cosine transform of tiles of 8 x 8 pixels with quantisation, 32 tiles to a block, rows and columns through shared memory, a pitch of 9 words.
__device__ void transform(float (&v)[8])
{
    constexpr float c[7] = {0.49039264f, 0.46193977f, 0.41573481f, 0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f};
    float s[4], d[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        s[i] = v[i] + v[7 - i];
        d[i] = v[i] - v[7 - i];
    }
    v[0] = c[3] * (s[0] + s[1] + s[2] + s[3]);
    v[4] = c[3] * (s[0] - s[1] - s[2] + s[3]);
    v[2] = c[1] * (s[0] - s[3]) + c[5] * (s[1] - s[2]);
    v[6] = c[5] * (s[0] - s[3]) - c[1] * (s[1] - s[2]);
    v[1] = c[0] * d[0] + c[2] * d[1] + c[4] * d[2] + c[6] * d[3];
    v[3] = c[2] * d[0] - c[6] * d[1] - c[0] * d[2] - c[4] * d[3];
    v[5] = c[4] * d[0] - c[0] * d[1] + c[6] * d[2] + c[2] * d[3];
    v[7] = c[6] * d[0] - c[4] * d[1] + c[2] * d[2] - c[0] * d[3];
}

extern "C" __global__ void __launch_bounds__(256) dct8_after(float* out, const float* __restrict__ in, const float* __restrict__ quantum, int width)
{
    constexpr int PITCH = 9;
    __shared__ float tile[32 * 8 * PITCH];
    const int t = threadIdx.x, own = t & 7;
    const long long first = (long long)blockIdx.y * 8 * width + blockIdx.x * 256 + t;
    float* base = tile + t / 8 * 8 * PITCH;
    float v[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        base[r * PITCH + own] = in[first + (long long)r * width];
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        v[k] = base[own * PITCH + k];
    }
    transform(v);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        base[own * PITCH + k] = v[k];
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        v[r] = base[r * PITCH + own];
    }
    transform(v);
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        out[first + (long long)r * width] = v[r] * quantum[r * 8 + own];
    }
}
