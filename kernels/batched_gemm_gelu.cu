// batched_gemm_gelu: 33 products of 512 x 512 x 512 in BF16 with bias and exact GELU, one tile of 128 x 128 to a block.
//
// Shows:      a product whose epilogue runs when the tensor cores have nothing left to do: one block fits on an SM, so no
//             other block's products cover it.
// Limiter:    the exposed epilogue: 64 error functions and 32 stores of 4 bytes a thread, behind only 8 steps of products.
// Phase:      epilogue.
// Lever:      overlap the epilogue with the next tile's products (persistent blocks, two accumulators or two groups of warps), or
//             a cheaper GELU; a deeper ring of copies does nothing.
// Shape:      batch = 33, m = n = k = 512; all rows contiguous.
// Launch:     grid 4 x 4 x 33, block 256 x 1 x 1, dynamic shared memory 131072 bytes.
// Arguments:  bf16* out [batch * m * n], const bf16* a [batch * m * k], const bf16* b [batch * n * k], const float* bias [n]
// Result:     out[i][r][c] == gelu(sum over k of a[i][r][k] * b[i][c][k] + bias[c]), gelu(x) = x / 2 * (1 + erf(x / sqrt 2))

#include <cuda_bf16.h>

constexpr unsigned SIZE = 512u, TILE = 128u, STEP = 64u, STAGES = 4u;
constexpr unsigned STAGE_BYTES = 2u * TILE * STEP * 2u;

// Offset of 16 bytes of a row of 64 elements; rows are 128 bytes, and their pieces change places so that eight rows meet no bank twice.
__device__ unsigned piece(unsigned row, unsigned at)
{
    return row * 128u + (at ^ row % 8u) * 16u;
}

__device__ void copy_stage(unsigned shared, const __nv_bfloat16* a, const __nv_bfloat16* b)
{
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const unsigned row = (threadIdx.x + i * 256u) / 8u, at = threadIdx.x % 8u;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + piece(row, at)), "l"(a + row * SIZE + at * 8u));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + TILE * 128u + piece(row, at)),
                     "l"(b + row * SIZE + at * 8u));
    }
}

__device__ void load_fragments(unsigned (&fragment)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(address));
}

__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ float gelu(float x)
{
    return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

__device__ void store_tile(__nv_bfloat16* out, const float* bias, const float (&sum)[4][4][4], unsigned row, unsigned column)
{
#pragma unroll
    for (unsigned m = 0; m < 4u; ++m) {
#pragma unroll
        for (unsigned n = 0; n < 4u; ++n) {
            const float2 shift = *reinterpret_cast<const float2*>(bias + column + n * 8u);
#pragma unroll
            for (unsigned half = 0; half < 2u; ++half) {
                const float left = gelu(sum[m][n][half * 2u] + shift.x), right = gelu(sum[m][n][half * 2u + 1u] + shift.y);
                __nv_bfloat16* at = out + (row + m * 16u + half * 8u) * SIZE + column + n * 8u;
                *reinterpret_cast<__nv_bfloat162*>(at) = __floats2bfloat162_rn(left, right);
            }
        }
    }
}

__global__ void __launch_bounds__(256) batched_gemm_gelu(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ a,
                                                         const __nv_bfloat16* __restrict__ b, const float* __restrict__ bias)
{
    extern __shared__ __align__(128) unsigned char ring[];
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(ring));
    const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    const unsigned row = warp / 4u * 64u, column = warp % 4u * 32u;
    const unsigned problem = blockIdx.z * SIZE * SIZE;
    a += problem + blockIdx.y * TILE * SIZE;
    b += problem + blockIdx.x * TILE * SIZE;
#pragma unroll
    for (unsigned stage = 0; stage < STAGES - 1u; ++stage) {
        copy_stage(shared + stage * STAGE_BYTES, a + stage * STEP, b + stage * STEP);
        asm volatile("cp.async.commit_group;");
    }
    float sum[4][4][4] = {};
#pragma unroll 1
    for (unsigned step = 0; step < SIZE / STEP; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2u));
        __syncthreads();
        const unsigned next = step + STAGES - 1u;
        if (next < SIZE / STEP) {
            copy_stage(shared + next % STAGES * STAGE_BYTES, a + next * STEP, b + next * STEP);
        }
        asm volatile("cp.async.commit_group;");
        const unsigned tile_a = shared + step % STAGES * STAGE_BYTES, tile_b = tile_a + TILE * 128u;
#pragma unroll
        for (unsigned k = 0; k < STEP / 16u; ++k) {
            unsigned left[4][4], right[2][4];
#pragma unroll
            for (unsigned m = 0; m < 4u; ++m) {
                load_fragments(left[m], tile_a + piece(row + m * 16u + lane % 16u, k * 2u + lane / 16u));
            }
#pragma unroll
            for (unsigned n = 0; n < 2u; ++n) {
                const unsigned at = column + n * 16u + lane / 16u * 8u + lane % 8u;
                load_fragments(right[n], tile_b + piece(at, k * 2u + lane / 8u % 2u));
            }
#pragma unroll
            for (unsigned m = 0; m < 4u; ++m) {
#pragma unroll
                for (unsigned n = 0; n < 4u; ++n) {
                    multiply(sum[m][n], left[m], right[n / 2u][n % 2u * 2u], right[n / 2u][n % 2u * 2u + 1u]);
                }
            }
        }
    }
    __nv_bfloat16* tile = out + problem + blockIdx.y * TILE * SIZE + blockIdx.x * TILE;
    store_tile(tile, bias + blockIdx.x * TILE, sum, row + lane / 4u, column + lane % 4u * 2u);  // limiter
}
