// demosaic_before: colours of a sensor with red, green, green and blue in each square of four pixels, by the mean of neighbours.
// Mirrored at the edge, which keeps the colour.
__device__ __forceinline__ int inside(int v, int size)
{
    return v < 0 ? -v : v >= size ? 2 * size - 2 - v : v;
}

// A thread to a pixel.
extern "C" __global__ void __launch_bounds__(256) demosaic_before(unsigned char* __restrict__ out, const unsigned char* __restrict__ raw, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const unsigned char* up = raw + inside(y - 1, height) * width;
    const unsigned char* here = raw + y * width;
    const unsigned char* down = raw + inside(y + 1, height) * width;
    const int l = inside(x - 1, width), r = inside(x + 1, width);
    int red, green, blue;
    if (y % 2 == 0 && x % 2 == 0) {
        red = here[x];
        green = (up[x] + down[x] + here[l] + here[r] + 2) / 4;
        blue = (up[l] + up[r] + down[l] + down[r] + 2) / 4;
    } else if (y % 2 == 0) {
        red = (here[l] + here[r] + 1) / 2;
        green = here[x];
        blue = (up[x] + down[x] + 1) / 2;
    } else if (x % 2 == 0) {
        red = (up[x] + down[x] + 1) / 2;
        green = here[x];
        blue = (here[l] + here[r] + 1) / 2;
    } else {
        red = (up[l] + up[r] + down[l] + down[r] + 2) / 4;
        green = (up[x] + down[x] + here[l] + here[r] + 2) / 4;
        blue = here[x];
    }
    const int plane = width * height;
    out[y * width + x] = red;
    out[plane + y * width + x] = green;
    out[2 * plane + y * width + x] = blue;
}
