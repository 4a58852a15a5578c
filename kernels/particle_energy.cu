// particle_energy: kinetic energy of sixteen million particles, each a struct of eight floats of which three are read.
//
// Shows:      an array of structs: lanes read 32 bytes apart, 12 bytes of every sector are used.
// Limiter:    sectors that carry what nobody asked for: device memory streams the whole struct, 20 of its 32 bytes in vain.
// Lever:      velocities in arrays of their own: 16 bytes a particle where 36 are moved now.
// Shape:      count = 16777216 particles (512 MiB in, 64 MiB out).
// Launch:     grid 65536 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* energy [count], const Particle* particle [count]
// Result:     energy[i] == (vx * vx + vy * vy + vz * vz) / 2

struct Particle {
    float x, y, z, charge, vx, vy, vz, mass;
};

__global__ void particle_energy(float* energy, const Particle* particle)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const float vx = particle[index].vx;  // limiter
    const float vy = particle[index].vy;
    const float vz = particle[index].vz;
    energy[index] = 0.5f * (vx * vx + vy * vy + vz * vz);
}
