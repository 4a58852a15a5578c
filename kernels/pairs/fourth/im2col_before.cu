// im2col_before: patches of k x k written as rows, one output to a thread, its place from one index by divisions.
extern "C" __global__ void __launch_bounds__(256) im2col_before(float* out, const float* __restrict__ in, int total, int height, int width, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) {
        return;
    }
    const int x = i % width, y = i / width % height, tap = i / (width * height) % (k * k), plane = i / (width * height * k * k);
    const int from_x = x + tap % k - k / 2, from_y = y + tap / k - k / 2;
    const bool is_inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
    out[i] = is_inside ? in[(plane * height + from_y) * width + from_x] : 0.0f;
}
