// pair_potential: one body to a thread, in double precision; grid 264, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void pair_potential_ref(float* potential, const float4* body)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    const float4 own = body[i];
    double sum = 0.0;
    for (unsigned j = 0; j < i; ++j) {
        const float4 other = body[j];
        const double dx = static_cast<double>(other.x) - own.x, dy = static_cast<double>(other.y) - own.y;
        const double dz = static_cast<double>(other.z) - own.z;
        sum += other.w / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
    }
    potential[i] = static_cast<float>(sum);
}
