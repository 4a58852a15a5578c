// conv3x3_direct: 3 x 3 convolution of 64 channels into 64, one output value to a thread, input padded by one.
//
// Shows:      a weight and an input value loaded for each multiply-add; both hit in L1.
// Limiter:    the L1 data path: three wavefronts for each multiply-add of a warp, where the FMA pipe takes a quarter of
//             a cycle.
// Lever:      several output channels to a thread, so that an input value in a register feeds several multiply-adds; weights in
//             shared memory, read four at a time.
// Shape:      images = 8, channels = 64 in and out, 112 x 112 values out, 114 x 114 in.
// Launch:     grid 49 x 64 x 8, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [8][64][112][112], const float* in [8][64][114][114], const float* weight [64][64][3][3]
// Result:     out[n][k][y][x] == sum over c, i, j of in[n][c][y + i][x + j] * weight[k][c][i][j]

__global__ void conv3x3_direct(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight)
{
    const unsigned pixel = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = pixel / 112u, x = pixel % 112u;
    const float* from = in + blockIdx.z * 64u * 114u * 114u + y * 114u + x;
    const float* factor = weight + blockIdx.y * 64u * 9u;
    float sum = 0.0f;
    for (unsigned c = 0; c < 64u; ++c) {
#pragma unroll
        for (unsigned i = 0; i < 3u; ++i) {
#pragma unroll
            for (unsigned j = 0; j < 3u; ++j) {
                sum += from[c * 114u * 114u + i * 114u + j] * factor[c * 9u + i * 3u + j];  // limiter
            }
        }
    }
    out[(blockIdx.z * 64u + blockIdx.y) * 12544u + pixel] = sum;
}
