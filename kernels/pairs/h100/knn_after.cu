// knn_after: the same, distance as |q|^2 + |p|^2 - 2 q p with |p|^2 once for a tile.
// query and point: [count, 8]; nearest: square of the distance of a query to the nearest point.
extern "C" __global__ void __launch_bounds__(128) knn_after(float* nearest, const float4* __restrict__ query, const float4* __restrict__ point, int points)
{
    __shared__ float4 tile[128][2];
    __shared__ float norm[128];
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
        const float4 u = point[(base + t) * 2], v = point[(base + t) * 2 + 1];
        tile[t][0] = u;
        tile[t][1] = v;
        norm[t] = 0.5f * (u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w + v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < 128; ++j) {
            float p[8];
            const float half = norm[j];
            *reinterpret_cast<float4*>(&p[0]) = tile[j][0];
            *reinterpret_cast<float4*>(&p[4]) = tile[j][1];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                float d = half;
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    d -= q[i][k] * p[k];
                }
                best[i] = fminf(best[i], d);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float square = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            square += q[i][k] * q[i][k];
        }
        nearest[first + i * 128] = square + 2.0f * best[i];
    }
}
