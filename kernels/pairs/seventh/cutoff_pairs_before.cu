// cutoff_pairs_before: energies of particles with the neighbours of a list that are near enough, screened charges with three images, a thread
// to a particle, energy of a pair where it is found.
struct Particle {
    float4 v;
    __device__ __forceinline__ float square(const Particle& o) const
    {
        const float x = v.x - o.v.x, y = v.y - o.v.y, z = v.z - o.v.z;
        return x * x + y * y + z * z;
    }
};

template <int Images> __device__ __forceinline__ float energy(float square, float charges, float screen)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < Images; ++k) {
        const float r = sqrtf(square + 0.01f + 0.3f * k);
        sum += charges * erfcf(screen * r) / r + expf(-4.0f * r) * (1.0f + r);
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(128) cutoff_pairs_before(float* __restrict__ out, const Particle* __restrict__ particle, const unsigned* __restrict__ neighbour, int particles, int neighbours, float cutoff, float screen)
{
    const int i = blockIdx.x * 128 + threadIdx.x, home = i & ~1023;
    const Particle own = particle[i];
    float sum = 0.0f;
    for (int n = 0; n < neighbours; ++n) {
        const Particle other = particle[home + neighbour[(long long)n * particles + i]];
        const float square = own.square(other);
        if (square < cutoff) {
            sum += energy<4>(square, own.v.w * other.v.w, screen);
        }
    }
    out[i] = sum;
}
