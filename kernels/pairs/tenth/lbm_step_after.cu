// lbm_step_after: a step of a lattice-Boltzmann flow of nine directions on a torus, a thread to a cell, rows loaded straight and moved aside in shared memory.
__device__ constexpr int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

extern "C" __global__ void __launch_bounds__(256) lbm_step_after(float* __restrict__ out, const float* __restrict__ in, int width, int height, float omega)
{
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y, cells = width * height;
    float f[9];
    __shared__ float moved[9][256];
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int row = (y - dy[k] + height) % height;
        f[k] = in[k * cells + row * width + x];
        if (dx[k]) {
            moved[k][(threadIdx.x + dx[k] + 256) % 256] = f[k];
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        if (dx[k]) {
            f[k] = moved[k][threadIdx.x];
            if (threadIdx.x == (dx[k] > 0 ? 0 : 255)) {
                f[k] = in[k * cells + (y - dy[k] + height) % height * width + (x - dx[k] + width) % width];
            }
        }
    }
    float density = 0.0f, u = 0.0f, v = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        density += f[k];
        u += dx[k] * f[k];
        v += dy[k] * f[k];
    }
    u /= density;
    v /= density;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const float weight = k == 0 ? 4.0f / 9.0f : k < 5 ? 1.0f / 9.0f : 1.0f / 36.0f, along = dx[k] * u + dy[k] * v;
        const float rest = weight * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * (u * u + v * v));
        out[k * cells + y * width + x] = f[k] + omega * (rest - f[k]);
    }
}
