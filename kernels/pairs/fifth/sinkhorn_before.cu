// sinkhorn_before: scalings of 32 x 32 transport problems, a block of 256 threads to a problem, sums by trees in shared memory.
extern "C" __global__ void __launch_bounds__(256) sinkhorn_before(float* out, const float* __restrict__ cost, int steps, float sharpness)
{
    __shared__ float k[32][33], part[32][9], u[32], v[32];
    const int t = threadIdx.x, line = t / 8, piece = t % 8;
    const long long base = (long long)blockIdx.x * 1024;
    for (int i = t; i < 1024; i += 256) {
        k[i / 32][i % 32] = __expf(-sharpness * cost[base + i]);
    }
    if (t < 32) {
        u[t] = v[t] = 1.0f;
    }
    __syncthreads();
    for (int s = 0; s < 2 * steps; ++s) {
        const bool rows = s % 2 == 0;
        float sum = 0.0f;
        for (int i = piece; i < 32; i += 8) {
            sum += rows ? k[line][i] * v[i] : k[i][line] * u[i];
        }
        part[line][piece] = sum;
        __syncthreads();
        for (int d = 4; d > 0; d /= 2) {
            if (piece < d) {
                part[line][piece] += part[line][piece + d];
            }
            __syncthreads();
        }
        if (piece == 0) {
            (rows ? u : v)[line] = 0.03125f / part[line][0];
        }
        __syncthreads();
    }
    for (int i = t; i < 1024; i += 256) {
        out[base + i] = u[i / 32] * k[i / 32][i % 32] * v[i % 32];
    }
}
