// chamfer_split_4: squared distance of each point of a cloud to the nearest of another cloud, the loop over these split between four threads.
extern "C" __global__ void __launch_bounds__(1024) chamfer_split_4(float* __restrict__ out, const float* __restrict__ from, const float* __restrict__ to, int points)
{
    __shared__ float part[4][256];
    const int t = threadIdx.x % 256, own = threadIdx.x / 256, i = blockIdx.x * 256 + t;
    const float* source = from + (long long)blockIdx.y * points * 3;
    const float* target = to + (long long)blockIdx.y * points * 3;
    const float x = source[3 * i], y = source[3 * i + 1], z = source[3 * i + 2];
    float best = 1e30f;
    for (int j = own * (points / 4); j < (own + 1) * (points / 4); ++j) {
        const float dx = target[3 * j] - x, dy = target[3 * j + 1] - y, dz = target[3 * j + 2] - z;
        best = fminf(best, dx * dx + dy * dy + dz * dz);
    }
    part[own][t] = best;
    __syncthreads();
    if (own == 0) {
        out[blockIdx.y * points + i] = fminf(fminf(part[0][t], part[1][t]), fminf(part[2][t], part[3][t]));
    }
}
