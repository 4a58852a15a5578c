// skin_vertices_shared: vertices moved by four bones each, the 256 bones in shared memory (rows of 13 words), read word by word.
#define VERTICES 4

// Four vertices a thread, 256 apart.
extern "C" __global__ void __launch_bounds__(256) skin_vertices_shared(float* __restrict__ position_out, float* __restrict__ normal_out, const float* __restrict__ position, const float* __restrict__ normal, const uchar4* __restrict__ bone, const float4* __restrict__ weight, const float* __restrict__ matrix, int vertices)
{
    __shared__ float bones_of[256][13];
    for (int k = threadIdx.x; k < 256 * 12; k += 256) {
        bones_of[k / 12][k % 12] = matrix[k];
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
                const float* m = bones_of[bones[j]] + 4 * r;
                p[r] += weights[j] * (m[0] * px + m[1] * py + m[2] * pz + m[3]);
                n[r] += weights[j] * (m[0] * nx + m[1] * ny + m[2] * nz);
            }
        }
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            position_out[3 * i + r] = p[r];
            normal_out[3 * i + r] = n[r];
        }
    }
}
