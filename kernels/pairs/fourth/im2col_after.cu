// im2col_after: patches of k x k written as rows, one output to a thread, its place from the grid: x and y of the pixel, plane and tap in z.
extern "C" __global__ void __launch_bounds__(256) im2col_after(float* out, const float* __restrict__ in, int total, int height, int width, int k)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y, plane = blockIdx.z / (k * k), tap = blockIdx.z % (k * k);
    const int i = (blockIdx.z * height + y) * width + x;
    if (i >= total) {
        return;
    }
    const int from_x = x + tap % k - k / 2, from_y = y + tap / k - k / 2;
    const bool is_inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
    out[i] = is_inside ? in[(plane * height + from_y) * width + from_x] : 0.0f;
}
