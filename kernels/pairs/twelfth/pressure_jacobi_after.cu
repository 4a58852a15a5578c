// pressure_jacobi_after: one Jacobi step for the pressure of a fluid on a regular grid, walls without flow.
extern "C" __global__ void __launch_bounds__(256) pressure_jacobi_after(float* __restrict__ out, const float* __restrict__ pressure, const float* __restrict__ divergence, int width, int height, int depth)
{
    __shared__ float tile[10][34];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    const int plane = width * height;
    const int i = z * plane + y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        tile[ty][tx] = pressure[i];
        if (threadIdx.x == 0) {
            tile[ty][0] = pressure[x > 0 ? i - 1 : i];
        }
        if (threadIdx.x == 31 || x == width - 1) {
            tile[ty][tx + 1] = pressure[x < width - 1 ? i + 1 : i];
        }
        if (threadIdx.y == 0) {
            tile[0][tx] = pressure[y > 0 ? i - width : i];
        }
        if (threadIdx.y == 7 || y == height - 1) {
            tile[ty + 1][tx] = pressure[y < height - 1 ? i + width : i];
        }
    }
    __syncthreads();
    if (!inside) {
        return;
    }
    const float front = pressure[z > 0 ? i - plane : i];
    const float back = pressure[z < depth - 1 ? i + plane : i];
    out[i] = (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + front + back - divergence[i]) * (1.0f / 6.0f);
}
