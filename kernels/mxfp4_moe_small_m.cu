// mxfp4_moe_small_m: at most 16 rows for each expert times MXFP4 weights, as one step of decoding does it.
//
// Shows:      the weights are read once, 16 bytes a lane, and go from registers to wgmma without a stop in shared memory: they are
//             its first operand, the rows of x its second. x is stored in the order in which a lane's weights come.
// Limiter:    device memory, which holds the packed weights; decoding takes most of the issue slots that are left.
// Variants:   -DEXPERTS, -DCAPACITY=16, -DCOLUMNS and -DDEPTH give the shape. Scales are at most 2.
// Launch:     grid 132 x 1 x 1, block 512 x 1 x 1, dynamic shared memory 32 * DEPTH + 1024 bytes.
// Arguments:  bf16* out [EXPERTS * 16 * COLUMNS], const bf16* x [tokens * DEPTH], const unsigned* index [EXPERTS * 16],
//             const unsigned* count [EXPERTS], const uint8_t* weight [EXPERTS * COLUMNS * DEPTH / 2],
//             const uint8_t* scale [EXPERTS * COLUMNS * DEPTH / 32]
// Result:     for r < count[e]: out[e][r][n] == sum over k of x[index[e][r]][k] * e2m1(weight[e][n][k]) * 2^(scale[e][n][k / 32] - 127)
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda_bf16.h>

namespace {

constexpr unsigned Experts = EXPERTS, Capacity = CAPACITY, Columns = COLUMNS, Depth = DEPTH;
constexpr unsigned TileN = 256;                        // rows of the weights that a block takes at once, 64 for a warpgroup
constexpr unsigned Steps = Depth / 128;                // of 128 values: 16 bytes for each of the four lanes of a row
constexpr unsigned Tiles = Experts * Columns / TileN;
constexpr unsigned Ahead = 4;                          // steps whose weights are on their way
constexpr unsigned AtomBytes = Capacity * 128u;        // 64 values of all rows of x

static_assert(Capacity == 16 && Columns % TileN == 0 && Steps % Ahead == 0, "the shape is a whole number of tiles");

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

// sum (64 x 16, one warpgroup) += a (64 x 16, registers) * b (16 x 16)^T.
__device__ __forceinline__ void multiply(float (&sum)[8], const unsigned (&a)[4], uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, 1, 1, 1, 0;"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// 16 bytes that nobody reads again, past L1.
__device__ __forceinline__ uint4 load_once(const uint8_t* from)
{
    uint4 value;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return value;
}

// Values i and i + 4 of a word of eight, times a power of two. As the lower bits of a BF16 exponent and its highest bit of
// mantissa a code is the value times 2^-126, also below one; the factor brings that back.
template <unsigned I>
__device__ __forceinline__ unsigned decode(unsigned word, __nv_bfloat162 factor)
{
    const unsigned sign = I < 3u ? word << (12u - 4u * I) : word;
    const unsigned rest = I < 2u ? word << (6u - 4u * I) : word >> (4u * I - 6u);
    const unsigned pair = (sign & 0x80008000u) | (rest & 0x01c001c0u);
    const __nv_bfloat162 product = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&pair), factor);
    return *reinterpret_cast<const unsigned*>(&product);
}

// 2^126 times a power of two from byte `shift / 8` of four E8M0 codes, in both halves.
__device__ __forceinline__ __nv_bfloat162 factor_of(unsigned codes, unsigned shift)
{
    const unsigned both = ((codes >> shift & 0xffu) + 126u) * 0x00800080u;
    return *reinterpret_cast<const __nv_bfloat162*>(&both);
}

// Rows of x in the order of the weights: lane t of four holds values 128 B + 32 t + 8 j + p of a row of the weights, and gives
// of its word j the pairs p = i and i + 4; pair i = 2 h + c is column 16 (8 B + 2 j + h) + 8 c + 2 t of the operand.
__device__ __forceinline__ void stage_rows(unsigned shared, const __nv_bfloat16* x, const unsigned* index, unsigned rows)
{
#pragma unroll 8
    for (unsigned unit = threadIdx.x; unit < Capacity * Depth / 8u; unit += 512u) {
        const unsigned row = unit / (Depth / 8u), part = unit % (Depth / 8u);
        const unsigned t = part / 4u % 4u, j = part % 4u, first = part / 16u * 8u + j * 2u;
        uint4 values = make_uint4(0u, 0u, 0u, 0u);
        if (row < rows) {
            values = *reinterpret_cast<const uint4*>(x + size_t(index[row]) * Depth + part * 8u);
        }
        const unsigned pair[4] = {__byte_perm(values.x, values.z, 0x5410u), __byte_perm(values.x, values.z, 0x7632u),
                                  __byte_perm(values.y, values.w, 0x5410u), __byte_perm(values.y, values.w, 0x7632u)};
#pragma unroll
        for (unsigned i = 0; i < 4u; ++i) {
            const unsigned column = (first + i / 2u) * 16u + i % 2u * 8u + 2u * t;
            const unsigned place = column / 64u * AtomBytes + row * 128u + ((column % 64u / 8u) ^ (row & 7u)) * 16u + column % 8u * 2u;
            asm volatile("st.shared.b32 [%0], %1;" ::"r"(shared + place), "r"(pair[i]) : "memory");
        }
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(512, 1)
mxfp4_moe_small_m(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x, const unsigned* __restrict__ index,
                  const unsigned* __restrict__ count, const uint8_t* __restrict__ weight, const uint8_t* __restrict__ scale)
{
    extern __shared__ uint8_t buffer[];
    const unsigned base = (static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + 1023u) & ~1023u;
    const unsigned lane = threadIdx.x % 32u, t = lane % 4u;
    const unsigned row = threadIdx.x / 32u * 16u + lane / 4u;  // of the tile; the lane also has the row 8 below
    const unsigned first = blockIdx.x * Tiles / gridDim.x, last = (blockIdx.x + 1u) * Tiles / gridDim.x;
    const unsigned steps = (last - first) * Steps;
    const uint8_t* const weights = weight + (size_t(first) * TileN + row) * (Depth / 2) + t * 16u;
    const uint8_t* const scales = scale + (size_t(first) * TileN + row) * (Depth / 32);

    const auto load_weights = [&](uint4 (&code)[2], unsigned step) {
        const uint8_t* from = weights + size_t(step / Steps) * TileN * (Depth / 2) + step % Steps * 64u;
        code[0] = load_once(from);  // limiter
        code[1] = load_once(from + 8u * (Depth / 2));
    };
    // Scales of four steps.
    const auto load_scales = [&](uint4 (&power)[2], unsigned step) {
        const uint8_t* from = scales + size_t(step / Steps) * TileN * (Depth / 32) + step % Steps * 4u;
        power[0] = load_once(from);
        power[1] = load_once(from + 8u * (Depth / 32));
    };

    uint4 code[Ahead][2], power[2], next[2];
    load_scales(power, 0u);
#pragma unroll
    for (unsigned u = 0; u < Ahead; ++u) {
        load_weights(code[u], u);
    }
    float sum[8];
    unsigned expert = Experts;
#pragma unroll 1
    for (unsigned group = 0; group < steps; group += Ahead) {
        if (group % Steps == 0u) {
            const unsigned own = (first + group / Steps) / (Columns / TileN);
            if (own != expert) {
                __syncthreads();
                stage_rows(base, x, index + own * Capacity, count[own]);
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                __syncthreads();
                expert = own;
            }
#pragma unroll
            for (unsigned i = 0; i < 8u; ++i) {
                sum[i] = 0.0f;
            }
        }
        const bool more = group + Ahead < steps;
        if (more) {
            load_scales(next, group + Ahead);
        }
        const unsigned upper[4] = {power[0].x, power[0].y, power[0].z, power[0].w};
        const unsigned lower[4] = {power[1].x, power[1].y, power[1].z, power[1].w};
#pragma unroll
        for (unsigned u = 0; u < Ahead; ++u) {
            const __nv_bfloat162 up = factor_of(upper[u], t * 8u), down = factor_of(lower[u], t * 8u);
            const unsigned top[4] = {code[u][0].x, code[u][0].y, code[u][0].z, code[u][0].w};
            const unsigned low[4] = {code[u][1].x, code[u][1].y, code[u][1].z, code[u][1].w};
            unsigned a[8][4];
#pragma unroll
            for (unsigned j = 0; j < 4u; ++j) {
                a[j * 2u][0] = decode<0>(top[j], up);
                a[j * 2u][1] = decode<0>(low[j], down);
                a[j * 2u][2] = decode<1>(top[j], up);
                a[j * 2u][3] = decode<1>(low[j], down);
                a[j * 2u + 1u][0] = decode<2>(top[j], up);
                a[j * 2u + 1u][1] = decode<2>(low[j], down);
                a[j * 2u + 1u][2] = decode<3>(top[j], up);
                a[j * 2u + 1u][3] = decode<3>(low[j], down);
            }
            if (more) {
                load_weights(code[u], group + Ahead + u);
            }
            const uint64_t b = operand(base + (group % Steps + u) * 2u * AtomBytes);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (unsigned k = 0; k < 8u; ++k) {
                multiply(sum, a[k], b + k / 4u * (AtomBytes / 16u) + k % 4u * 2u);
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;"
                         : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7])::"memory");
        }
        power[0] = next[0];
        power[1] = next[1];
        if ((group + Ahead) % Steps == 0u) {
            const unsigned tile = first + group / Steps, rows = count[expert];
            const unsigned column = tile % (Columns / TileN) * TileN + row;
#pragma unroll
            for (unsigned i = 0; i < 8u; ++i) {
                const unsigned token = i / 4u * 8u + 2u * t + i % 2u;
                if (token < rows) {
                    out[(size_t(expert) * Capacity + token) * Columns + column + i / 2u % 2u * 8u] = __float2bfloat16(sum[i]);
                }
            }
        }
    }
}
