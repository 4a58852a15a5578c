// pressure_jacobi_before: one Jacobi step for the pressure of a fluid on a regular grid, walls without flow.
extern "C" __global__ void __launch_bounds__(256) pressure_jacobi_before(float* __restrict__ out, const float* __restrict__ pressure, const float* __restrict__ divergence, int width, int height, int depth)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x >= width || y >= height) {
        return;
    }
    const int plane = width * height;
    const int i = z * plane + y * width + x;
    const float left = pressure[x > 0 ? i - 1 : i];
    const float right = pressure[x < width - 1 ? i + 1 : i];
    const float up = pressure[y > 0 ? i - width : i];
    const float down = pressure[y < height - 1 ? i + width : i];
    const float front = pressure[z > 0 ? i - plane : i];
    const float back = pressure[z < depth - 1 ? i + plane : i];
    out[i] = (left + right + up + down + front + back - divergence[i]) * (1.0f / 6.0f);
}
