// demosaic_after: colours of a sensor with red, green, green and blue in each square of four pixels, by the mean of neighbours.
// Mirrored at the edge, which keeps the colour.
__device__ __forceinline__ int inside(int v, int size)
{
    return v < 0 ? -v : v >= size ? 2 * size - 2 - v : v;
}

// A thread to a square of four pixels, with the 4 x 4 around it in registers.
extern "C" __global__ void __launch_bounds__(256) demosaic_after(unsigned char* __restrict__ out, const unsigned char* __restrict__ raw, int width, int height)
{
    const int x = (blockIdx.x * 32 + threadIdx.x) * 2, y = (blockIdx.y * 8 + threadIdx.y) * 2;
    if (x >= width || y >= height) {
        return;
    }
    int p[4][4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const unsigned char* row = raw + inside(y + j - 1, height) * width;
        const uchar2 two = *(const uchar2*)(row + x);
        p[j][0] = row[inside(x - 1, width)];
        p[j][1] = two.x;
        p[j][2] = two.y;
        p[j][3] = row[inside(x + 2, width)];
    }
    const int plane = width * height, at = y * width + x;
    *(uchar2*)(out + at) = make_uchar2(p[1][1], (p[1][1] + p[1][3] + 1) / 2);
    *(uchar2*)(out + at + width) = make_uchar2((p[1][1] + p[3][1] + 1) / 2, (p[1][1] + p[1][3] + p[3][1] + p[3][3] + 2) / 4);
    *(uchar2*)(out + plane + at) = make_uchar2((p[0][1] + p[2][1] + p[1][0] + p[1][2] + 2) / 4, p[1][2]);
    *(uchar2*)(out + plane + at + width) = make_uchar2(p[2][1], (p[1][2] + p[3][2] + p[2][1] + p[2][3] + 2) / 4);
    *(uchar2*)(out + 2 * plane + at) = make_uchar2((p[0][0] + p[0][2] + p[2][0] + p[2][2] + 2) / 4, (p[0][2] + p[2][2] + 1) / 2);
    *(uchar2*)(out + 2 * plane + at + width) = make_uchar2((p[2][0] + p[2][2] + 1) / 2, p[2][2]);
}
