// lora_down_after: activations times a matrix of rank 16, 16 rows to a warp, products on the tensor cores.
// A lane takes eight neighbours of k at once; both operands name k in the same order, so the sums are those of the plain order.
#include <cuda_fp16.h>

__device__ void product(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(256) lora_down_after(float* out, const __half* __restrict__ in, const __half* __restrict__ weight, int depth)
{
    const int lane = threadIdx.x & 31, group = lane / 4, quad = lane & 3;
    const long long first = ((long long)blockIdx.x * 8 + threadIdx.x / 32) * 16;
    const uint4* x = reinterpret_cast<const uint4*>(in + (first + group) * depth) + quad;
    const uint4* a = reinterpret_cast<const uint4*>(weight + group * depth) + quad;
    const int pitch = depth / 8;
    float c[2][4] = {};
#pragma unroll 4
    for (int at = 0; at < pitch; at += 4) {
        const uint4 low = __ldcs(x + at), high = __ldcs(x + 8 * pitch + at);
#pragma unroll
        for (int n = 0; n < 2; ++n) {
            const uint4 b = a[n * 8 * pitch + at];
            product(c[n], low.x, high.x, low.y, high.y, b.x, b.y);
            product(c[n], low.z, high.z, low.w, high.w, b.z, b.w);
        }
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
        float2* to = reinterpret_cast<float2*>(out + (first + group) * 16 + n * 8) + quad;
        to[0] = make_float2(c[n][0], c[n][1]);
        to[64] = make_float2(c[n][2], c[n][3]);
    }
}
