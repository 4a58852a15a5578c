// argon_before: energies of atoms of argon, all pairs.
#define TILE 256

extern "C" __global__ void __launch_bounds__(256) argon_before(float* __restrict__ out, const float* __restrict__ pos, int atoms, float size)
{
    __shared__ float4 tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float x = pos[i], y = pos[atoms + i], z = pos[2 * atoms + i];
    float energy = 0.0f;
    for (int first = blockIdx.y * (atoms / gridDim.y); first < (blockIdx.y + 1) * (atoms / gridDim.y); first += TILE) {
        const int j = first + threadIdx.x;
        tile[threadIdx.x] = make_float4(pos[j], pos[atoms + j], pos[2 * atoms + j], 0.0f);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            const float dx = x - tile[k].x, dy = y - tile[k].y, dz = z - tile[k].z;
            const float square = dx * dx + dy * dy + dz * dz + 0.01f;
            const float r = size / sqrtf(square);
            energy += powf(r, 12.0f) - powf(r, 6.0f);
        }
        __syncthreads();
    }
    out[blockIdx.y * atoms + i] = energy;
}
