// yee_e_after: electric fields a step on from magnetic ones on a staggered grid, a thread to a column of 24 cells, fields of the cell below kept.
extern "C" __global__ void __launch_bounds__(256) yee_e_after(float* __restrict__ ex, float* __restrict__ ey, float* __restrict__ ez, const float* __restrict__ hx, const float* __restrict__ hy, const float* __restrict__ hz, const float* __restrict__ share, int nx, int ny, int nz)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, first = max((int)blockIdx.z * 24, 1), last = min((int)blockIdx.z * 24 + 24, nz);
    if (x < 1 || y < 1 || x >= nx || y >= ny) {
        return;
    }
    const int plane = nx * ny;
    int i = first * plane + y * nx + x;
    float below_a = hx[i - plane], below_b = hy[i - plane];
    for (int z = first; z < last; ++z, i += plane) {
        const float a = hx[i], b = hy[i], c = hz[i], s = share[i];
        ex[i] += s * (c - hz[i - nx] - (b - below_b));
        ey[i] += s * (a - below_a - (c - hz[i - 1]));
        ez[i] += s * (b - hy[i - 1] - (a - hx[i - nx]));
        below_a = a;
        below_b = b;
    }
}
