// skin_vertices_shared_wide: vertices moved by four bones each, the 256 bones in shared memory, read by 16 bytes.
#define VERTICES 4

// Four vertices a thread, 256 apart.
extern "C" __global__ void __launch_bounds__(256) skin_vertices_shared_wide(float* __restrict__ position_out, float* __restrict__ normal_out, const float* __restrict__ position, const float* __restrict__ normal, const uchar4* __restrict__ bone, const float4* __restrict__ weight, const float4* __restrict__ matrix, int vertices)
{
    __shared__ float4 rows_of[256 * 3];
    for (int k = threadIdx.x; k < 256 * 3; k += 256) {
        rows_of[k] = matrix[k];
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < VERTICES; ++k) {
        const int i = (blockIdx.x * VERTICES + k) * 256 + threadIdx.x;
        if (i >= vertices) {
            return;
        }
        const float px = position[3 * i], py = position[3 * i + 1], pz = position[3 * i + 2];
        const float nx = normal[3 * i], ny = normal[3 * i + 1], nz = normal[3 * i + 2];
        const uchar4 b = bone[i];
        const float4 w = weight[i];
        const int bones[4] = {b.x, b.y, b.z, b.w};
        const float weights[4] = {w.x, w.y, w.z, w.w};
        float p[3] = {0.0f, 0.0f, 0.0f}, n[3] = {0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int r = 0; r < 3; ++r) {
                const float4 m = rows_of[3 * bones[j] + r];
                p[r] += weights[j] * (m.x * px + m.y * py + m.z * pz + m.w);
                n[r] += weights[j] * (m.x * nx + m.y * ny + m.z * nz);
            }
        }
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            position_out[3 * i + r] = p[r];
            normal_out[3 * i + r] = n[r];
        }
    }
}
