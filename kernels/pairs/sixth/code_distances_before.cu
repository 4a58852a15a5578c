// code_distances_before: distances of vectors coded in 16 bytes to two questions, by tables in shared memory.
extern "C" __global__ void __launch_bounds__(256) code_distances_before(float2* out, const uint4* __restrict__ code, const float* __restrict__ table, int vectors)
{
    __shared__ float part[2][16][256];
    for (int k = threadIdx.x; k < 8192; k += 256) {
        (&part[0][0][0])[k] = table[k];
    }
    __syncthreads();
    const int step = gridDim.x * blockDim.x;

#pragma unroll 1
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vectors; v += step) {
        const uint4 c = code[v];
        const unsigned word[4] = {c.x, c.y, c.z, c.w};
        float a = 0.0f, b = 0.0f;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const unsigned byte = word[k / 4] >> k % 4 * 8 & 255u;
            a += part[0][k][byte];
            b += part[1][k][byte];
        }
        out[v] = make_float2(a, b);
    }
}
