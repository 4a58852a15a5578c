// particle_energy: one particle to a thread, in double precision; grid 65536, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void particle_energy_ref(float* energy, const float* particle)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned axis = 4u; axis < 7u; ++axis) {
        const double speed = particle[index * 8u + axis];
        sum += speed * speed;
    }
    energy[index] = static_cast<float>(sum / 2.0);
}
