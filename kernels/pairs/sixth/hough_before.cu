// hough_before: votes of edge points for lines, a thread to a point, votes counted in global memory.
extern "C" __global__ void __launch_bounds__(256) hough_before(unsigned* votes, const float2* __restrict__ point, const float2* __restrict__ direction, int points, int angles)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= points) {
        return;
    }
    const float2 p = point[id];
    for (int a = 0; a < angles; ++a) {
        const float2 d = direction[a];
        const int bin = __float2int_rd(__fmaf_rn(p.x, d.x, __fmul_rn(p.y, d.y))) + 1024;
        atomicAdd(&votes[a * 2048 + min(max(bin, 0), 2047)], 1u);
    }
}
