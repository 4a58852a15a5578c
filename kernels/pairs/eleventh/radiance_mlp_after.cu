// radiance_mlp_after: a network of three layers of 32 and an output of three for each sample, a thread to a sample.
constexpr int WIDTH = 32;

extern "C" __global__ void __launch_bounds__(256, 4) radiance_mlp_after(float* __restrict__ out, const float4* __restrict__ in, const float4* __restrict__ weight, int samples)
{
    __shared__ float4 w[3 * WIDTH * WIDTH / 4 + 3 * WIDTH / 4];
    for (int i = threadIdx.x; i < 3 * WIDTH * WIDTH / 4 + 3 * WIDTH / 4; i += 256) {
        w[i] = weight[i];
    }
    __syncthreads();
    const int sample = blockIdx.x * 256 + threadIdx.x;
    if (sample >= samples) {
        return;
    }
    float h[WIDTH];
#pragma unroll
    for (int i = 0; i < WIDTH / 4; ++i) {
        const float4 v = in[(long long)sample * (WIDTH / 4) + i];
        h[4 * i] = v.x;
        h[4 * i + 1] = v.y;
        h[4 * i + 2] = v.z;
        h[4 * i + 3] = v.w;
    }
#pragma unroll 1
    for (int layer = 0; layer < 3; ++layer) {
        float next[WIDTH];
#pragma unroll
        for (int o = 0; o < WIDTH; ++o) {
            float sum = 0.0f;
#pragma unroll
            for (int i = 0; i < WIDTH / 4; ++i) {
                const float4 v = w[(layer * WIDTH + o) * (WIDTH / 4) + i];
                sum += h[4 * i] * v.x + h[4 * i + 1] * v.y + h[4 * i + 2] * v.z + h[4 * i + 3] * v.w;
            }
            next[o] = fmaxf(sum, 0.0f);
        }
#pragma unroll
        for (int o = 0; o < WIDTH; ++o) {
            h[o] = next[o];
        }
    }
#pragma unroll
    for (int o = 0; o < 3; ++o) {
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < WIDTH / 4; ++i) {
            const float4 v = w[(3 * WIDTH + o) * (WIDTH / 4) + i];
            sum += h[4 * i] * v.x + h[4 * i + 1] * v.y + h[4 * i + 2] * v.z + h[4 * i + 3] * v.w;
        }
        out[(long long)o * samples + sample] = sum;
    }
}
