// qkv_project_before: queries, keys and values of the tokens of a prompt by one product with the joined weights.
#include <cuda_fp16.h>
#include <cstdint>

#define DEPTH 64
#define PITCH DEPTH

__device__ __forceinline__ void copy16(half* to, const half* from)
{
    const uint32_t a = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a), "l"(from) : "memory");
}

__device__ __forceinline__ void load_fragments(uint32_t (&r)[4], const half* p)
{
    const uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Tiles of 128 x 128, eight warps of 64 x 32 each; rows of both factors lie along the depth.
extern "C" __global__ void __launch_bounds__(256, 2) qkv_project_before(half* __restrict__ out, const half* __restrict__ token, const half* __restrict__ weight, int columns, int depth)
{
    __shared__ __align__(16) half a[128][PITCH];
    __shared__ __align__(16) half b[128][PITCH];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int m0 = warp % 2 * 64, n0 = warp / 2 * 32;
    const int row = threadIdx.x / 8, eight = threadIdx.x % 8 * 8;
    const half* left = token + (long long)(blockIdx.y * 128 + row) * depth + eight;
    const half* right = weight + (long long)(blockIdx.x * 128 + row) * depth + eight;
    float sum[4][4][4] = {};
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
#pragma unroll
        for (int r = 0; r < 128; r += 32) {
            copy16(&a[r + row][eight], left + (long long)r * depth + k0);
            copy16(&b[r + row][eight], right + (long long)r * depth + k0);
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            uint32_t fa[4][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                load_fragments(fa[i], &a[m0 + i * 16 + lane % 16][k + lane / 16 * 8]);
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                load_fragments(fb[j], &b[n0 + j * 16 + lane % 8 + lane / 16 * 8][k + lane / 8 % 2 * 8]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
        __syncthreads();
    }
    half* to = out + (long long)(blockIdx.y * 128 + m0) * columns + blockIdx.x * 128 + n0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            half* p = to + (long long)(i * 16 + lane / 4) * columns + j * 8 + lane % 4 * 2;
            *(half2*)p = __floats2half2_rn(sum[i][j][0], sum[i][j][1]);
            *(half2*)(p + 8 * (long long)columns) = __floats2half2_rn(sum[i][j][2], sum[i][j][3]);
        }
    }
}
