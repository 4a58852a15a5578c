// stencil_z: second derivative of eighth order along the slowest axis; each thread walks a column with nine values at hand.
//
// Shows:      a ring buffer of nine floats whose index is computed at run time, and so lies in local memory.
// Limiter:    local loads and stores through L1: ten of them for each point that is loaded from and stored to global memory.
// Lever:      shift the window through registers (unroll by nine), so that every index is a constant.
// Shape:      levels = 72 of columns = 524288 floats (144 MiB).
// Launch:     grid 2048 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [(levels - 8) * columns], const float* in [levels * columns], unsigned columns, unsigned levels
// Result:     out[z - 4][i] == w[0] * in[z][i] + sum over j = 1 .. 4 of w[j] * (in[z - j][i] + in[z + j][i]), 4 <= z < levels - 4,
//             w = -205/72, 8/5, -1/5, 8/315, -1/560

__global__ void stencil_z(float* __restrict__ out, const float* __restrict__ in, unsigned columns, unsigned levels)
{
    constexpr float weight[5] = {-205.0f / 72.0f, 8.0f / 5.0f, -1.0f / 5.0f, 8.0f / 315.0f, -1.0f / 560.0f};
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    float window[9];
    for (unsigned z = 0; z < 8u; ++z) {
        window[z] = in[z * columns + column];
    }
    for (unsigned z = 4u; z + 4u < levels; ++z) {
        window[(z + 4u) % 9u] = in[(z + 4u) * columns + column];
        float sum = weight[0] * window[z % 9u];
#pragma unroll
        for (unsigned j = 1u; j < 5u; ++j) {
            sum += weight[j] * (window[(z + j) % 9u] + window[(z - j) % 9u]);  // limiter
        }
        out[(z - 4u) * columns + column] = sum;
    }
}
