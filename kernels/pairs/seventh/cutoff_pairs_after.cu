// cutoff_pairs_after: energies of particles with the neighbours of a list that are near enough, screened charges with three images, a thread
// to a particle, pairs of a warp gathered in shared memory and worked by 32.
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

struct Pairs {
    float square[64], charges[64];
    int owner[64];
};

extern "C" __global__ void __launch_bounds__(128) cutoff_pairs_after(float* __restrict__ out, const Particle* __restrict__ particle, const unsigned* __restrict__ neighbour, int particles, int neighbours, float cutoff, float screen)
{
    __shared__ Pairs queue[4];
    __shared__ float total[4][32];
    const int i = blockIdx.x * 128 + threadIdx.x, home = i & ~1023, lane = threadIdx.x % 32;
    Pairs& pairs = queue[threadIdx.x / 32];
    float* sum = total[threadIdx.x / 32];
    const Particle own = particle[i];
    sum[lane] = 0.0f;
    int waiting = 0;
    for (int n = 0; n < neighbours; ++n) {
        const Particle other = particle[home + neighbour[(long long)n * particles + i]];
        const float square = own.square(other);
        const bool near = square < cutoff;
        const unsigned found = __ballot_sync(~0u, near);
        if (near) {
            const int at = waiting + __popc(found & ((1u << lane) - 1));
            pairs.square[at] = square;
            pairs.charges[at] = own.v.w * other.v.w;
            pairs.owner[at] = lane;
        }
        waiting += __popc(found);
        if (waiting >= 32) {
            __syncwarp();
            waiting -= 32;
            const int at = waiting + lane;
            atomicAdd(&sum[pairs.owner[at]], energy<4>(pairs.square[at], pairs.charges[at], screen));
            __syncwarp();
        }
    }
    __syncwarp();
    if (lane < waiting) {
        atomicAdd(&sum[pairs.owner[lane]], energy<4>(pairs.square[lane], pairs.charges[lane], screen));
    }
    __syncwarp();
    out[i] = sum[lane];
}
