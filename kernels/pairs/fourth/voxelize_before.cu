// voxelize_before: points of a cloud summed into voxels, 128 x 128 x 32; four additions to a point.
extern "C" __global__ void __launch_bounds__(256) voxelize_before(float4* voxel, const float4* __restrict__ point, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) {
        return;
    }
    const float4 p = point[i];
    const int x = min((int)(p.x * 128.0f), 127), y = min((int)(p.y * 128.0f), 127), z = min((int)(p.z * 32.0f), 31);
    float4* to = voxel + (z * 128 + y) * 128 + x;
    atomicAdd(&to->x, p.x);
    atomicAdd(&to->y, p.y);
    atomicAdd(&to->z, p.z);
    atomicAdd(&to->w, 1.0f);
}
