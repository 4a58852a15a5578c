// yee_e_before: electric fields a step on from magnetic ones on a staggered grid, a thread to a cell.
extern "C" __global__ void __launch_bounds__(256) yee_e_before(float* __restrict__ ex, float* __restrict__ ey, float* __restrict__ ez, const float* __restrict__ hx, const float* __restrict__ hy, const float* __restrict__ hz, const float* __restrict__ share, int nx, int ny, int nz)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx || y >= ny) {
        return;
    }
    const int plane = nx * ny, i = z * plane + y * nx + x;
    const float a = hx[i], b = hy[i], c = hz[i], s = share[i];
    ex[i] += s * (c - hz[i - nx] - (b - hy[i - plane]));
    ey[i] += s * (a - hx[i - plane] - (c - hz[i - 1]));
    ez[i] += s * (b - hy[i - 1] - (a - hx[i - nx]));
}
