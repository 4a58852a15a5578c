// decode_nf4: one row to a thread, in double precision; grid rows / 256, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void decode_nf4_ref(float* out, const unsigned* packed, const float* scale, const float* x, unsigned columns)
{
    const double code[16] = {-1.0,        -0.6961928,  -0.52507305, -0.39491749, -0.28444138, -0.18477343,
                             -0.09105004, 0.0,         0.0795803,   0.1609302,   0.2461123,   0.33791524,
                             0.44070983,  0.562617,    0.72295684,  1.0};
    const unsigned row = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned c = 0; c < columns; ++c) {
        const unsigned at = row * columns + c;
        const double weight = code[packed[at / 8u] >> 4u * (c % 8u) & 15u];
        sum += weight * static_cast<double>(scale[at / 64u]) * static_cast<double>(x[c]);
    }
    out[row] = static_cast<float>(sum);
}
