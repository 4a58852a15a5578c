// bias_gelu_after: quick GELU of x + bias in half precision, tiles of 8 KiB by bulk copies into a ring of four stages, two resident blocks an SM.
#include <cuda_fp16.h>

constexpr int STAGES = 4;

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

__device__ __forceinline__ uint4 layer(uint4 a, uint4 b)
{
    __half2* v = reinterpret_cast<__half2*>(&a);
    const __half2* w = reinterpret_cast<const __half2*>(&b);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 x = __half22float2(__hadd2(v[i], w[i]));
        v[i] = __floats2half2_rn(x.x / (1.0f + __expf(-1.702f * x.x)), x.y / (1.0f + __expf(-1.702f * x.y)));
    }
    return a;
}

extern "C" __global__ void __launch_bounds__(288) bias_gelu_after(uint4* out, const uint4* __restrict__ in, const uint4* __restrict__ bias, int tiles)
{
    extern __shared__ __align__(128) uint4 ring[];
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
                fetch(ring + s * 512, in + tile * 512ll, 8192, &full[s]);
                if (++s == STAGES) {
                    s = 0;
                    ++round;
                }
            }
        }
        return;
    }
    const uint4 b0 = bias[t], b1 = bias[t + 256];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        wait(&full[s], round & 1);
        const uint4 x0 = ring[s * 512 + t], x1 = ring[s * 512 + 256 + t];
        __syncwarp();
        if (lane == 0) {
            arrive(&empty[s]);
        }
        out[tile * 512ll + t] = layer(x0, b0);
        out[tile * 512ll + 256 + t] = layer(x1, b1);
        if (++s == STAGES) {
            s = 0;
            ++round;
        }
    }
}
