// cloth_springs_before: forces of the springs of a cloth, four springs for each knot: right, down and both diagonals.
extern "C" __global__ void __launch_bounds__(256) cloth_springs_before(float* __restrict__ out, const float* __restrict__ shift, int width, int height, float stiffness)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, kind = blockIdx.z;
    const int dx = kind == 0 ? 1 : kind - 2, dy = kind == 0 ? 0 : 1;
    if (x >= width || y + dy >= height || x + dx < 0 || x + dx >= width) {
        return;
    }
    const int n = width * height;
    const int a = y * width + x, b = a + dy * width + dx;
    const float ux = shift[b] - shift[a] + (float)dx;
    const float uy = shift[n + b] - shift[n + a] + (float)dy;
    const float uz = shift[2 * n + b] - shift[2 * n + a];
    const float rest = dx != 0 && dy != 0 ? 1.41421356f : 1.0f;
    const float f = stiffness * (1.0f - rest * rsqrtf(ux * ux + uy * uy + uz * uz));
    atomicAdd(&out[a], f * ux);
    atomicAdd(&out[n + a], f * uy);
    atomicAdd(&out[2 * n + a], f * uz);
    atomicAdd(&out[b], -f * ux);
    atomicAdd(&out[n + b], -f * uy);
    atomicAdd(&out[2 * n + b], -f * uz);
}
