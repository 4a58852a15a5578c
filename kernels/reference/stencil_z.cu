// stencil_z: each point from nine loads, in double precision; grid columns / 256 x (levels - 8), block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void stencil_z_ref(float* out, const float* in, unsigned columns, unsigned)
{
    const unsigned column = blockIdx.x * 256u + threadIdx.x;
    const float* centre = in + (blockIdx.y + 4u) * columns + column;
    double sum = -205.0 / 72.0 * static_cast<double>(centre[0]);
    sum += 8.0 / 5.0 * (static_cast<double>(in[(blockIdx.y + 3u) * columns + column]) + static_cast<double>(in[(blockIdx.y + 5u) * columns + column]));
    sum -= 1.0 / 5.0 * (static_cast<double>(in[(blockIdx.y + 2u) * columns + column]) + static_cast<double>(in[(blockIdx.y + 6u) * columns + column]));
    sum += 8.0 / 315.0 * (static_cast<double>(in[(blockIdx.y + 1u) * columns + column]) + static_cast<double>(in[(blockIdx.y + 7u) * columns + column]));
    sum -= 1.0 / 560.0 * (static_cast<double>(in[blockIdx.y * columns + column]) + static_cast<double>(in[(blockIdx.y + 8u) * columns + column]));
    out[blockIdx.y * columns + column] = static_cast<float>(sum);
}
