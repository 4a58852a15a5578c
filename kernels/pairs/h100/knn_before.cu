// knn_before: distance to the nearest of a set of points in eight dimensions, eight queries to a thread, points in tiles of shared memory.
// query and point: [count, 8]; nearest: square of the distance of a query to the nearest point.
extern "C" __global__ void __launch_bounds__(128) knn_before(float* nearest, const float4* __restrict__ query, const float4* __restrict__ point, int points)
{
    __shared__ float4 tile[128][2];
    const int t = threadIdx.x, first = blockIdx.x * 1024 + t;
    float q[8][8], best[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        *reinterpret_cast<float4*>(&q[i][0]) = query[(first + i * 128) * 2];
        *reinterpret_cast<float4*>(&q[i][4]) = query[(first + i * 128) * 2 + 1];
        best[i] = 1e30f;
    }
    for (int base = 0; base < points; base += 128) {
        __syncthreads();
        tile[t][0] = point[(base + t) * 2];
        tile[t][1] = point[(base + t) * 2 + 1];
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < 128; ++j) {
            float p[8];
            *reinterpret_cast<float4*>(&p[0]) = tile[j][0];
            *reinterpret_cast<float4*>(&p[4]) = tile[j][1];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                float d = 0.0f;
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    const float difference = q[i][k] - p[k];
                    d += difference * difference;
                }
                best[i] = fminf(best[i], d);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        nearest[first + i * 128] = best[i];
    }
}
