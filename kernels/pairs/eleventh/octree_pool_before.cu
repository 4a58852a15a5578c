// octree_pool_before: features of points, sorted by the code of their voxel, summed into the voxels two levels up.
extern "C" __global__ void __launch_bounds__(256) octree_pool_before(float* __restrict__ out, const float* __restrict__ feature, const unsigned int* __restrict__ code, int points)
{
    const int point = blockIdx.x * 4 + threadIdx.x / 64;
    if (point >= points) {
        return;
    }
    const int x = threadIdx.x % 64;
    atomicAdd(&out[(long long)(code[point] >> 6) * 64 + x], feature[(long long)point * 64 + x]);
}
