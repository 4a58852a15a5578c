// integral_rows_before: running sums along the rows of images, a thread to a row.
extern "C" __global__ void __launch_bounds__(256) integral_rows_before(float* out, const float* __restrict__ in, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int x = 0; x < width; ++x) {
        sum += in[(long long)row * width + x];
        out[(long long)row * width + x] = sum;
    }
}
