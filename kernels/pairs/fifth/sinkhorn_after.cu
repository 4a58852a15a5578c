// sinkhorn_after: scalings of 32 x 32 transport problems, a warp to a problem, a row and a column to a lane in registers.
extern "C" __global__ void __launch_bounds__(256) sinkhorn_after(float* out, const float* __restrict__ cost, int steps, float sharpness)
{
    __shared__ float tile[8][32][33];
    __shared__ float4 scale[8][8];
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    const long long base = ((long long)blockIdx.x * 8 + warp) * 1024;
    float row[32], column[32], u = 1.0f, v = 1.0f;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        column[i] = tile[warp][i][lane] = __expf(-sharpness * cost[base + i * 32 + lane]);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        row[i] = tile[warp][lane][i];
    }
    auto half = [&](const float (&line)[32], float other) {
        __syncwarp();
        reinterpret_cast<float*>(scale[warp])[lane] = other;
        __syncwarp();
        float sum = 0.0f, more = 0.0f;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const float4 s = scale[warp][i];
            sum += line[4 * i] * s.x + line[4 * i + 1] * s.y;
            more += line[4 * i + 2] * s.z + line[4 * i + 3] * s.w;
        }
        return 0.03125f / (sum + more);
    };
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
        u = half(row, v);
        v = half(column, u);
    }
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        out[base + i * 32 + lane] = __shfl_sync(~0u, u, i) * column[i] * v;
    }
}
