// octree_pool_after: features of points, sorted by the code of their voxel, summed into the voxels two levels up.
extern "C" __global__ void __launch_bounds__(256) octree_pool_after(float* __restrict__ out, const float* __restrict__ feature, const unsigned int* __restrict__ code, int points)
{
    const int first = (blockIdx.x * 4 + threadIdx.x / 64) * 16;
    if (first >= points) {
        return;
    }
    const int x = threadIdx.x % 64;
    const int last = min(first + 16, points);
    unsigned int parent = code[first] >> 6;
    float sum = 0.0f;
#pragma unroll 8
    for (int point = first; point < last; ++point) {
        const unsigned int here = code[point] >> 6;
        const float v = feature[(long long)point * 64 + x];
        if (here != parent) {
            atomicAdd(&out[(long long)parent * 64 + x], sum);
            parent = here;
            sum = 0.0f;
        }
        sum += v;
    }
    atomicAdd(&out[(long long)parent * 64 + x], sum);
}
