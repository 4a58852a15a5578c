// slab_sum_after: sums of a volume of bytes along its depth, a thread to a piece of a ray.
extern "C" __global__ void __launch_bounds__(256) slab_sum_after(unsigned* __restrict__ out, const unsigned char* __restrict__ volume, int depth, int height, int width)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int piece = (depth + gridDim.z - 1) / gridDim.z;
    const int first = blockIdx.z * piece, last = min(first + piece, depth);
    unsigned sum = 0;
    for (int z = first; z < last; ++z) {
        sum += volume[(z * height + y) * width + x];
    }
    atomicAdd(out + y * width + x, sum);
}
