// tma_norms_after: norms of vectors of 256 floats: a producer warp brings tiles of eight vectors by bulk copies into a ring of 8 stages, eight warps add up.
constexpr int STAGES = 8;

__device__ __forceinline__ unsigned shared_at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void wait(unsigned long long* barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred p;\nagain%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni done%=;\nbra.uni again%=;\ndone%=:\n}" ::"r"(shared_at(barrier)), "r"(parity) : "memory");
}

__device__ __forceinline__ void arrive(unsigned long long* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(barrier)) : "memory");
}

__device__ __forceinline__ void fetch(void* to, const void* from, unsigned bytes, unsigned long long* barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_at(barrier)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_at(to)), "l"(from), "r"(bytes), "r"(shared_at(barrier)) : "memory");
}

extern "C" __global__ void __launch_bounds__(288) tma_norms_after(float* norm, const float* __restrict__ in, int tiles)
{
    extern __shared__ __align__(128) float4 ring[];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_at(&full[s])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 8;" ::"r"(shared_at(&empty[s])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int s = 0;
    unsigned round = 0;
    if (warp == 8) {
        if (lane == 0) {
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                wait(&empty[s], (round & 1) ^ 1);
                fetch(ring + s * 512, in + tile * 2048ll, 8192, &full[s]);
                if (++s == STAGES) {
                    s = 0;
                    ++round;
                }
            }
        }
        return;
    }
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        wait(&full[s], round & 1);
        const float4 a = ring[s * 512 + warp * 64 + lane], b = ring[s * 512 + warp * 64 + 32 + lane];
        __syncwarp();
        if (lane == 0) {
            arrive(&empty[s]);
        }
        float sum = a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w + b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w;
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_xor_sync(~0u, sum, d);
        }
        if (lane == 0) {
            norm[tile * 8ll + warp] = sqrtf(sum);
        }
        if (++s == STAGES) {
            s = 0;
            ++round;
        }
    }
}
