// slab_sum_before: sums of a volume of bytes along its depth, a thread to a ray.
extern "C" __global__ void __launch_bounds__(256) slab_sum_before(unsigned* __restrict__ out, const unsigned char* __restrict__ volume, int depth, int height, int width)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    unsigned sum = 0;
    for (int z = 0; z < depth; ++z) {
        sum += volume[(z * height + y) * width + x];
    }
    out[y * width + x] = sum;
}
