// patch_embed_gemm_mma: the patch-embedding product with warp-level mma.sync: the version before patch_embed_gemm.
//
// Shows:      an FP8 product whose SASS lacks the warpgroup instructions of the chip: on sm_90 mma.sync of E4M3 becomes conversions
//             to FP16 and HMMA. Its epilogue stores 4 bytes per lane, so each store request fills half of the sectors it touches.
// Limiter:    instruction issue and the conversions before the tensor pipe; the epilogue's uncoalesced stores come second.
// Shape:      patches 928256 x 768, weights 768 x 768 (row n holds output column n), E4M3, row-major; bias 768 BF16;
//             pos_embed 196 x 768 BF16; out 928256 x 768 BF16. Inputs must hold no NaN (E4M3 0x7f and 0xff).
// Launch:     grid 6 x 7252 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  __nv_bfloat16* out [928256 * 768], const __nv_fp8_e4m3* patches [928256 * 768], const __nv_fp8_e4m3* weights [768 * 768],
//             const __nv_bfloat16* bias [768], const __nv_bfloat16* pos_embed [196 * 768]
// Result:     out[m * 768 + n] == bf16(sum over k of patches[m * 768 + k] * weights[n * 768 + k] + bias[n] + pos_embed[(m mod 196) * 768 + n])
//             up to the order of the sum

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

namespace {

constexpr unsigned Depth = 768;        // bytes, and E4M3 values, of a row of either input
constexpr unsigned Columns = 768;      // of the output
constexpr unsigned Positions = 196;
constexpr unsigned TileM = 128;
constexpr unsigned TileN = 128;
constexpr unsigned TileK = 64;         // bytes of a row per stage
constexpr unsigned Stages = 3;
constexpr unsigned StageBytes = (TileM + TileN) * TileK;

// A stage keeps rows of 64 bytes in four 16-byte chunks; chunk c of row r lies at c ^ ((r / 2) mod 4), so that the eight
// rows one ldmatrix phase reads lie in eight different groups of four banks.
__device__ __forceinline__ unsigned chunk_offset(unsigned row, unsigned chunk)
{
    return row * TileK + ((chunk ^ ((row >> 1) & 3u)) << 4);
}

__device__ __forceinline__ void copy_chunk(unsigned shared, const uint8_t* global)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// Copies TileK bytes of 256 rows: 128 of the patches, then 128 of the weights. 1024 chunks, four per thread.
__device__ __forceinline__ void load_stage(unsigned stage, const uint8_t* patches, const uint8_t* weights, unsigned k)
{
#pragma unroll
    for (unsigned part = 0; part < 4u; ++part) {
        const unsigned index = threadIdx.x + part * 256u;
        const unsigned row = index >> 2;
        const unsigned chunk = index & 3u;
        const uint8_t* source = row < TileM ? patches + size_t(row) * Depth : weights + size_t(row - TileM) * Depth;
        copy_chunk(stage + chunk_offset(row, chunk), source + k + chunk * 16u);
    }
}

__device__ __forceinline__ void load_matrices(uint32_t (&fragment)[4], unsigned shared)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(shared)
                 : "memory");
}

__device__ __forceinline__ void multiply(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace

__global__ void __launch_bounds__(256, 2)
patch_embed_gemm_mma(__nv_bfloat16* __restrict__ out, const __nv_fp8_e4m3* __restrict__ patches,
                     const __nv_fp8_e4m3* __restrict__ weights, const __nv_bfloat16* __restrict__ bias,
                     const __nv_bfloat16* __restrict__ pos_embed)
{
    __shared__ alignas(128) uint8_t buffer[Stages * StageBytes];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
    const unsigned first_row = blockIdx.y * TileM;
    const unsigned first_column = blockIdx.x * TileN;
    const auto* a = reinterpret_cast<const uint8_t*>(patches) + size_t(first_row) * Depth;
    const auto* b = reinterpret_cast<const uint8_t*>(weights) + size_t(first_column) * Depth;

    // Eight warps as 2 x 4; each owns 64 rows and 32 columns: 4 x 4 products of 16 x 8.
    const unsigned warp = threadIdx.x / 32u;
    const unsigned lane = threadIdx.x % 32u;
    const unsigned warp_row = (warp / 4u) * 64u;
    const unsigned warp_column = (warp % 4u) * 32u;
    float sum[4][4][4] = {};

#pragma unroll
    for (unsigned step = 0; step < Stages - 1u; ++step) {
        load_stage(base + step * StageBytes, a, b, step * TileK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
    for (unsigned step = 0; step < Depth / TileK; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(Stages - 2u) : "memory");
        __syncthreads();
        const unsigned ahead = step + Stages - 1u;
        if (ahead < Depth / TileK) {
            load_stage(base + (ahead % Stages) * StageBytes, a, b, ahead * TileK);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        const unsigned stage = base + (step % Stages) * StageBytes;
#pragma unroll 1
        for (unsigned half = 0; half < 2u; ++half) {
            // Lanes 0-7, 8-15, 16-23, 24-31 give the row addresses of the four 8 x 16-byte matrices of one ldmatrix.
            uint32_t a_fragment[4][4];
            uint32_t b_fragment[2][4];
#pragma unroll
            for (unsigned i = 0; i < 4u; ++i) {
                const unsigned row = warp_row + i * 16u + (lane & 15u);
                load_matrices(a_fragment[i], stage + chunk_offset(row, half * 2u + (lane >> 4)));
            }
#pragma unroll
            for (unsigned j = 0; j < 2u; ++j) {
                const unsigned row = TileM + warp_column + j * 16u + (lane & 7u) + ((lane >> 4) << 3);
                load_matrices(b_fragment[j], stage + chunk_offset(row, half * 2u + ((lane >> 3) & 1u)));
            }
#pragma unroll
            for (unsigned i = 0; i < 4u; ++i) {
#pragma unroll
                for (unsigned j = 0; j < 4u; ++j) {
                    multiply(sum[i][j], a_fragment[i], b_fragment[j / 2u][(j % 2u) * 2u], b_fragment[j / 2u][(j % 2u) * 2u + 1u]);  // limiter
                }
            }
        }
    }

    // Lane l holds, of each 16 x 8 product, columns 2 * (l mod 4) and the next, in rows l / 4 and l / 4 + 8.
#pragma unroll
    for (unsigned j = 0; j < 4u; ++j) {
        const unsigned column = first_column + warp_column + j * 8u + (lane & 3u) * 2u;
        const float2 offset = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(bias + column));
#pragma unroll
        for (unsigned i = 0; i < 4u; ++i) {
#pragma unroll
            for (unsigned below = 0; below < 2u; ++below) {
                const unsigned row = first_row + warp_row + i * 16u + below * 8u + (lane >> 2);
                const float2 position = __bfloat1622float2(
                    *reinterpret_cast<const __nv_bfloat162*>(pos_embed + (row % Positions) * Columns + column));
                const float left = sum[i][j][below * 2u] + (offset.x + position.x);
                const float right = sum[i][j][below * 2u + 1u] + (offset.y + position.y);
                *reinterpret_cast<__nv_bfloat162*>(out + size_t(row) * Columns + column) = __floats2bfloat162_rn(left, right);
            }
        }
    }
}
