// cloth_springs_after: forces of the springs of a cloth, four springs for each knot: right, down and both diagonals.
extern "C" __global__ void __launch_bounds__(256) cloth_springs_after(float* __restrict__ out, const float* __restrict__ shift, int width, int height, float stiffness)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int n = width * height;
    const int a = y * width + x;
    const float px = shift[a], py = shift[n + a], pz = shift[2 * n + a];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
            if ((dx == 0 && dy == 0) || x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) {
                continue;
            }
            const int b = a + dy * width + dx;
            const float ux = shift[b] - px + (float)dx;
            const float uy = shift[n + b] - py + (float)dy;
            const float uz = shift[2 * n + b] - pz;
            const float rest = dx != 0 && dy != 0 ? 1.41421356f : 1.0f;
            const float f = stiffness * (1.0f - rest * rsqrtf(ux * ux + uy * uy + uz * uz));
            fx += f * ux;
            fy += f * uy;
            fz += f * uz;
        }
    }
    out[a] = fx;
    out[n + a] = fy;
    out[2 * n + a] = fz;
}
