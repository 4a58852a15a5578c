// affine_warp_before: a scene of a satellite turned to the north, bilinear.
extern "C" __global__ void __launch_bounds__(256) affine_warp_before(float* __restrict__ out, const float* __restrict__ image, float xx, float xy, float yx, float yy, int width, int height)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) {
        return;
    }
    const float cx = px - 0.5f * width, cy = py - 0.5f * height;
    const float x = xx * cx + xy * cy + 0.5f * width, y = yx * cx + yy * cy + 0.5f * height;
    const int x0 = (int)floorf(x), y0 = (int)floorf(y);
    float v = 0.0f;
    if (x0 >= 0 && y0 >= 0 && x0 < width - 1 && y0 < height - 1) {
        const float fx = x - x0, fy = y - y0;
        const float* p = image + (long long)y0 * width + x0;
        const float top = p[0] + fx * (p[1] - p[0]), low = p[width] + fx * (p[width + 1] - p[width]);
        v = top + fy * (low - top);
    }
    out[(long long)py * width + px] = v;
}
