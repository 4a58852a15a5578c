// kmeans_update: sums of the points of each cluster, the second half of a step of k-means; eight clusters in eight dimensions.
//
// Shows:      additions of floats to shared memory, which the chip does by compare and swap: a lane whose word another lane
//             changed in between tries again.
// Limiter:    atomics that meet at few addresses of shared memory: 32 lanes add to 8 words at once, so that four lanes of a warp
//             want the same word, and eight warps of a block want the same 64.
// Lever:      a copy of the sums for each lane of a warp, side by side in the banks (-DCOPIES=32 has them): lanes of a warp never
//             meet, and device memory limits; or sort the points by cluster.
// Shape:      points = 4325376 of 8 floats (132 MiB).
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  double* sums [8 * 8], const float4* points [points * 2], const unsigned* cluster [points]
// Result:     sums[c][d] == sum of points[p][d] over the points p with cluster[p] == c; sums must be zero before the launch

#ifndef COPIES
#define COPIES 1
#endif

__global__ void kmeans_update(double* sums, const float4* __restrict__ points, const unsigned* __restrict__ cluster)
{
    __shared__ float own[64 * COPIES];
    for (unsigned word = threadIdx.x; word < 64u * COPIES; word += 256u) {
        own[word] = 0.0f;
    }
    __syncthreads();
    for (unsigned i = 0; i < 16u; ++i) {
        const unsigned point = (blockIdx.x * 16u + i) * 256u + threadIdx.x;
        const float4 low = points[2u * point], high = points[2u * point + 1u];
        const float value[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        float* of = own + cluster[point] * 8u * COPIES + threadIdx.x % COPIES;
#pragma unroll
        for (unsigned d = 0; d < 8u; ++d) {
            atomicAdd(of + d * COPIES, value[d]);  // limiter
        }
    }
    __syncthreads();
    if (threadIdx.x < 64u) {
        double sum = 0.0;
        for (unsigned copy = 0; copy < COPIES; ++copy) {
            sum += own[threadIdx.x * COPIES + (copy + threadIdx.x) % COPIES];
        }
        atomicAdd(sums + threadIdx.x, sum);
    }
}
