// decode_nf4: vector times a matrix of 4-bit NormalFloat weights, as one step of decoding does it; the code book is constant memory.
//
// Shows:      a table of 16 values in constant memory that every lane reads at another index.
// Limiter:    the constant cache: it serves one address at a time, so the lanes of a warp take up to 16 turns for each weight.
// Lever:      hold the code book in shared memory, one copy to a bank, or in registers by shuffle.
// Shape:      rows = 16384, columns = 8192, groups of 64 weights with one scale (64 MiB of weights, 8 MiB of scales).
// Launch:     grid 2048 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows], const unsigned* packed [rows * columns / 8], const float* scale [rows * columns / 64],
//             const float* x [columns], unsigned columns
// Result:     out[r] == sum over c of code[nibble c % 8 of packed[(r * columns + c) / 8]] * scale[(r * columns + c) / 64] * x[c]

__constant__ float code[16] = {-1.0f,        -0.6961928f,  -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f,
                               -0.09105004f, 0.0f,         0.0795803f,   0.1609302f,   0.2461123f,   0.33791524f,
                               0.44070983f,  0.562617f,    0.72295684f,  1.0f};

__global__ void decode_nf4(float* __restrict__ out, const unsigned* __restrict__ packed, const float* __restrict__ scale,
                           const float* __restrict__ x, unsigned columns)
{
    const unsigned lane = threadIdx.x % 32u;
    const unsigned row = blockIdx.x * 8u + threadIdx.x / 32u;
    const unsigned words = columns / 8u;
    float sum = 0.0f;
    for (unsigned word = lane; word < words; word += 32u) {
        const unsigned weights = packed[row * words + word];
        const float4 low = reinterpret_cast<const float4*>(x)[word * 2u];
        const float4 high = reinterpret_cast<const float4*>(x)[word * 2u + 1u];
        const float factors[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        float part = 0.0f;
#pragma unroll
        for (unsigned j = 0; j < 8u; ++j) {
            part += code[weights >> 4u * j & 15u] * factors[j];  // limiter
        }
        sum += part * scale[(row * words + word) / 8u];
    }
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0u) {
        out[row] = sum;
    }
}
