// texture_stats_before: energy and contrast of the table of neighbouring grey levels of each region of 64 x 64 pixels, a block to a region.
constexpr int LEVELS = 108;

extern "C" __global__ void __launch_bounds__(128) texture_stats_before(float2* __restrict__ out, const unsigned char* __restrict__ image, int width)
{
    __shared__ unsigned int count[LEVELS * LEVELS];
    __shared__ float part[2][4];
    for (int i = threadIdx.x; i < LEVELS * LEVELS; i += 128) {
        count[i] = 0;
    }
    __syncthreads();
    const unsigned char* region = image + (long long)blockIdx.y * 64 * width + blockIdx.x * 64;
    const int x = threadIdx.x % 16 * 4;
    for (int y = threadIdx.x / 16; y < 64; y += 8) {
        const uchar4 p = *(const uchar4*)(region + (long long)y * width + x);
        const int next = x < 60 ? region[(long long)y * width + x + 4] : p.w;
        const int v[5] = {p.x * LEVELS >> 8, p.y * LEVELS >> 8, p.z * LEVELS >> 8, p.w * LEVELS >> 8, next * LEVELS >> 8};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            atomicAdd(&count[v[k] * LEVELS + v[k + 1]], 1u);
        }
    }
    __syncthreads();
    float energy = 0.0f, contrast = 0.0f;
    for (int i = threadIdx.x; i < LEVELS * LEVELS; i += 128) {
        const float c = (float)count[i];
        const float d = (float)(i / LEVELS - i % LEVELS);
        energy += c * c;
        contrast += c * d * d;
    }
    for (int d = 16; d > 0; d >>= 1) {
        energy += __shfl_xor_sync(0xffffffffu, energy, d);
        contrast += __shfl_xor_sync(0xffffffffu, contrast, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[0][threadIdx.x / 32] = energy;
        part[1][threadIdx.x / 32] = contrast;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.y * gridDim.x + blockIdx.x] = make_float2(part[0][0] + part[0][1] + part[0][2] + part[0][3], part[1][0] + part[1][1] + part[1][2] + part[1][3]);
    }
}
