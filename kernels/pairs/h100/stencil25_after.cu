// stencil25_after: the same stencil, a block walks 64 levels upwards with a queue of 9 levels in registers and a plane in shared memory.
__global__ void __launch_bounds__(512) stencil25_after(float* out, const float* __restrict__ in, int nx, int ny)
{
    const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
    __shared__ float tile[2][24][40];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty, z0 = blockIdx.z * 64;
    const int pitch = nx + 8, plane = pitch * (ny + 8);
    const float* p = in + (long long)z0 * plane + (y + 4) * pitch + x + 4;
    const float* corner = in + (long long)(z0 + 4) * plane + blockIdx.y * 16 * pitch + blockIdx.x * 32;
    float queue[9];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        queue[k + 1] = p[k * plane];
    }
    p += 8 * plane;
    for (int z = 0; z < 64; ++z) {
        float(*t)[40] = tile[z & 1];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            queue[k] = queue[k + 1];
        }
        queue[8] = *p;
        t[ty + 4][tx + 4] = queue[4];
        if (ty < 4) {
            t[ty][tx + 4] = corner[ty * pitch + tx + 4];
            t[ty + 20][tx + 4] = corner[(ty + 20) * pitch + tx + 4];
        } else if (ty < 8) {
            const int i = (ty - 4) * 32 + tx, row = i / 8 + 4, column = i % 8;
            const int at = column < 4 ? column : column + 32;
            t[row][at] = corner[row * pitch + at];
        }
        __syncthreads();
        float sum = 3.0f * c[0] * queue[4];
#pragma unroll
        for (int r = 1; r <= 4; ++r) {
            sum += c[r] * (t[ty + 4][tx + 4 - r] + t[ty + 4][tx + 4 + r] + t[ty + 4 - r][tx + 4] + t[ty + 4 + r][tx + 4] +
                           queue[4 - r] + queue[4 + r]);
        }
        out[((long long)(z0 + z) * ny + y) * nx + x] = sum;
        p += plane;
        corner += plane;
    }
}
