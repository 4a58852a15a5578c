// weight_grad_before: gradient of a layer's weights, summed over the samples of a batch.
extern "C" __global__ void __launch_bounds__(256) weight_grad_before(float* __restrict__ out, const float* __restrict__ gradient, const float* __restrict__ input, int samples, int outputs, int inputs)
{
    __shared__ float g[32][32];
    __shared__ float x[32][32];
    const int o0 = blockIdx.y * 32, i0 = blockIdx.x * 32;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    float sum[2][2] = {};
    for (int n = 0; n < samples; n += 32) {
#pragma unroll
        for (int r = 0; r < 32; r += 8) {
            g[r + row][lane] = gradient[(long long)(n + r + row) * outputs + o0 + lane];
            x[r + row][lane] = input[(long long)(n + r + row) * inputs + i0 + lane];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            const float2 a = *(const float2*)&g[k][2 * ty];
            const float2 b = *(const float2*)&x[k][2 * tx];
            sum[0][0] += a.x * b.x;
            sum[0][1] += a.x * b.y;
            sum[1][0] += a.y * b.x;
            sum[1][1] += a.y * b.y;
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
            out[(long long)(o0 + 2 * ty + r) * inputs + i0 + 2 * tx + c] = sum[r][c];
        }
    }
}
