// nbody: one body to a thread, in double precision; grid 264, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void nbody_ref(float4* acceleration, const float4* body, const float4* source, unsigned sources)
{
    const float4 own = body[blockIdx.x * 256u + threadIdx.x];
    double sum[3] = {0.0, 0.0, 0.0};
    for (unsigned j = 0; j < sources; ++j) {
        const float4 other = source[j];
        const double dx = static_cast<double>(other.x) - own.x, dy = static_cast<double>(other.y) - own.y;
        const double dz = static_cast<double>(other.z) - own.z;
        const double square = dx * dx + dy * dy + dz * dz + 0.01;
        const double weight = other.w / (square * sqrt(square));
        sum[0] += weight * dx;
        sum[1] += weight * dy;
        sum[2] += weight * dz;
    }
    acceleration[blockIdx.x * 256u + threadIdx.x] =
        make_float4(static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]), 0.0f);
}
