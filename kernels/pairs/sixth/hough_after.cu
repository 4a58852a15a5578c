// hough_after: votes of edge points for lines, a block to an angle and an eighth of the points, votes counted in shared memory.
extern "C" __global__ void __launch_bounds__(256) hough_after(unsigned* votes, const float2* __restrict__ point, const float2* __restrict__ direction, int points, int angles)
{
    __shared__ unsigned count[2048];
    const int a = blockIdx.x, share = points / gridDim.y;
    for (int b = threadIdx.x; b < 2048; b += 256) {
        count[b] = 0;
    }
    __syncthreads();
    const float2 d = direction[a];
#pragma unroll 4
    for (int k = threadIdx.x; k < share; k += 256) {
        const float2 p = point[blockIdx.y * share + k];
        const int bin = __float2int_rd(__fmaf_rn(p.x, d.x, __fmul_rn(p.y, d.y))) + 1024;
        atomicAdd(&count[min(max(bin, 0), 2047)], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 2048; b += 256) {
        if (count[b]) {
            atomicAdd(&votes[a * 2048 + b], count[b]);
        }
    }
}
