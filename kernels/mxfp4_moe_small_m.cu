// mxfp4_moe_small_m: at most 16 rows for each expert times MXFP4 weights, as one step of decoding does it.
//
// Shows:      the weights are read once: each warp's own ring of TMA boxes keeps 6 KB on their way, whatever the warp does meanwhile,
//             and costs neither registers nor address arithmetic. Decoded in registers they are wgmma's first operand, the rows of x
//             its second. x is stored in the order in which a lane's weights come.
// Limiter:    device memory, which holds the packed weights; decoding takes most of the issue slots that are left.
// Variants:   -DEXPERTS, -DCAPACITY=16, -DCOLUMNS and -DDEPTH give the shape. Scales are at most 2.
// Launch:     grid 128 x 1 x 1 (as many tiles for each), block 512 x 1 x 1, dynamic shared memory 32 * DEPTH + 99456 bytes.
// Arguments:  bf16* out [EXPERTS * 16 * COLUMNS], const bf16* x [tokens * DEPTH], const unsigned* index [EXPERTS * 16],
//             const unsigned* count [EXPERTS], tensor map of uint8_t weight [EXPERTS * COLUMNS, DEPTH / 2] with boxes of 16 rows by
//             128 bytes in the 128-byte swizzle, const uint8_t* scale [EXPERTS * COLUMNS * DEPTH / 32]
// Result:     for r < count[e]: out[e][r][n] == sum over k of x[index[e][r]][k] * e2m1(weight[e][n][k]) * 2^(scale[e][n][k / 32] - 127)
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

namespace {

constexpr unsigned Experts = EXPERTS, Capacity = CAPACITY, Columns = COLUMNS, Depth = DEPTH;
constexpr unsigned TileN = 256;               // rows of the weights that a block takes at once, 16 for a warp
constexpr unsigned StepK = 256;               // values of a row in a box: 128 bytes
constexpr unsigned Steps = Depth / StepK;
constexpr unsigned Tiles = Experts * Columns / TileN;
constexpr unsigned Stages = 3;                // boxes of a warp on their way
constexpr unsigned BoxBytes = 16u * StepK / 2u;
constexpr unsigned AtomBytes = Capacity * 128u;  // 64 values of all rows of x
constexpr unsigned RingOffset = Capacity * Depth * 2u;
constexpr unsigned BarrierOffset = RingOffset + 16u * Stages * BoxBytes;

static_assert(Capacity == 16 && Columns % TileN == 0 && Steps % 2 == 0, "the shape is a whole number of tiles");

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

__device__ __forceinline__ void barrier_init(unsigned barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier), "r"(parity)
        : "memory");
}

// One lane asks for a box; its bytes complete the barrier.
__device__ __forceinline__ void request(unsigned shared, unsigned barrier, const CUtensorMap* map, unsigned byte, unsigned row)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(BoxBytes) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared),
                 "l"(map), "r"(barrier), "r"(byte), "r"(row)
                 : "memory");
}

__device__ __forceinline__ uint4 load_shared(unsigned address)
{
    uint4 value;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "r"(address));
    return value;
}

// Two E2M1 values, 16 bits apart, times a power of two. A nibble times 2^12 + 2^6 has its sign in bit 15 and its magnitude in bits
// 8 to 6: as the lower bits of a BF16 exponent and its highest bit of mantissa that is the value times 2^-126, also below one.
// The factor brings that back.
__device__ __forceinline__ unsigned scaled(unsigned spread, __nv_bfloat162 factor)
{
    const unsigned pair = spread & 0x81c081c0u;
    const __nv_bfloat162 product = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&pair), factor);
    return *reinterpret_cast<const unsigned*>(&product);
}

// Values i and i + 4 of a word of eight.
template <unsigned I>
__device__ __forceinline__ unsigned decode(unsigned word, unsigned upper, __nv_bfloat162 factor)
{
    const unsigned from = I < 2u ? word : upper;
    return scaled(I % 2u == 0u ? (from & 0x000f000fu) * 0x1040u : (from & 0x00f000f0u) * 0x0104u, factor);
}

// 2^126 times a power of two, in both halves, from the byte of four E8M0 codes that `which` names in its first and third place.
__device__ __forceinline__ __nv_bfloat162 factor_of(unsigned codes, unsigned which)
{
    const unsigned both = __byte_perm(codes, 0u, which) * 128u + 126u * 0x00800080u;
    return *reinterpret_cast<const __nv_bfloat162*>(&both);
}

// Rows of x in the order of the weights: lane t of four holds values 128 B + 32 t + 8 j + p of a row of the weights, and gives
// of its word j the pairs p = i and i + 4; pair i = 2 h + c is column 16 (8 B + 2 j + h) + 8 c + 2 t of the operand. A thread takes
// the four words t of one j, so that it stores 16 bytes at a time.
__device__ __forceinline__ void stage_rows(unsigned shared, const __nv_bfloat16* x, const unsigned* index, unsigned rows)
{
    const unsigned row = threadIdx.x % 32u / 2u, odd = threadIdx.x % 2u;
    const __nv_bfloat16* const own = x + size_t(row < rows ? index[row] : 0u) * Depth + odd * 8u;
#pragma unroll
    for (unsigned turn = 0; turn < Depth / 1024u; ++turn) {
        const unsigned atom = turn * 16u + threadIdx.x / 32u;  // 2 B + j / 2
        unsigned pair[4][4];
#pragma unroll
        for (unsigned t = 0; t < 4u; ++t) {
            uint4 values = make_uint4(0u, 0u, 0u, 0u);
            if (row < rows) {
                values = *reinterpret_cast<const uint4*>(own + atom / 2u * 128u + atom % 2u * 16u + t * 32u);
            }
            pair[0][t] = __byte_perm(values.x, values.z, 0x5410u);
            pair[1][t] = __byte_perm(values.x, values.z, 0x7632u);
            pair[2][t] = __byte_perm(values.y, values.w, 0x5410u);
            pair[3][t] = __byte_perm(values.y, values.w, 0x7632u);
        }
#pragma unroll
        for (unsigned i = 0; i < 4u; ++i) {
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared + atom * AtomBytes + row * 128u + ((odd * 4u + i) ^ (row & 7u)) * 16u),
                         "r"(pair[i][0]), "r"(pair[i][1]), "r"(pair[i][2]), "r"(pair[i][3])
                         : "memory");
        }
    }
}

// 128 values of two rows as the first operand of eight products, each lane 32 of a row in one piece.
__device__ __forceinline__ void decode_block(unsigned (&a)[8][4], uint4 top, uint4 low, __nv_bfloat162 up, __nv_bfloat162 down)
{
    const unsigned first[4] = {top.x, top.y, top.z, top.w}, second[4] = {low.x, low.y, low.z, low.w};
#pragma unroll
    for (unsigned j = 0; j < 4u; ++j) {
        const unsigned first_upper = first[j] >> 8, second_upper = second[j] >> 8;
        a[j * 2u][0] = decode<0>(first[j], first_upper, up);
        a[j * 2u][1] = decode<0>(second[j], second_upper, down);
        a[j * 2u][2] = decode<1>(first[j], first_upper, up);
        a[j * 2u][3] = decode<1>(second[j], second_upper, down);
        a[j * 2u + 1u][0] = decode<2>(first[j], first_upper, up);
        a[j * 2u + 1u][1] = decode<2>(second[j], second_upper, down);
        a[j * 2u + 1u][2] = decode<3>(first[j], first_upper, up);
        a[j * 2u + 1u][3] = decode<3>(second[j], second_upper, down);
    }
}

// Waits until at most `Pending` groups of products of this warpgroup are in flight.
template <unsigned Pending>
__device__ __forceinline__ void wait_for_products(float (&sum)[8])
{
    asm volatile("wgmma.wait_group.sync.aligned %8;"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7])
                 : "n"(Pending)
                 : "memory");
}

}  // namespace

extern "C" __global__ void __launch_bounds__(512, 1)
mxfp4_moe_small_m(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x, const unsigned* __restrict__ index,
                  const unsigned* __restrict__ count, const __grid_constant__ CUtensorMap weight, const uint8_t* __restrict__ scale)
{
    extern __shared__ uint8_t buffer[];
    const unsigned base = (static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + 1023u) & ~1023u;
    const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32u, 0), lane = threadIdx.x % 32u, t = lane % 4u;
    const unsigned which = 0x4040u | t * 0x0101u;
    const unsigned row = warp * 16u + lane / 4u;  // of the tile; the lane also has the row 8 below
    const unsigned first = blockIdx.x * Tiles / gridDim.x, last = (blockIdx.x + 1u) * Tiles / gridDim.x;
    const unsigned steps = (last - first) * Steps;
    const unsigned ring = base + RingOffset + warp * Stages * BoxBytes, barriers = base + BarrierOffset + warp * Stages * 8u;
    // A lane reads pieces t and t + 4 of its two rows, which have the same place in the swizzle.
    const unsigned near = ring + lane / 4u * 128u + (t ^ lane / 4u) * 16u, far = near ^ 64u;
    const uint8_t* const scales = scale + (size_t(first) * TileN + row) * (Depth / 32);

    const auto ask = [&](unsigned step, unsigned stage) {
        request(ring + stage * BoxBytes, barriers + stage * 8u, &weight, step % Steps * (StepK / 2u), (first + step / Steps) * TileN + warp * 16u);
    };
    // Scales of two steps.
    const auto load_scales = [&](uint4 (&power)[2], unsigned step) {
        const uint8_t* from = scales + size_t(step / Steps) * TileN * (Depth / 32) + step % Steps * (StepK / 32u);
        power[0] = __ldg(reinterpret_cast<const uint4*>(from));
        power[1] = __ldg(reinterpret_cast<const uint4*>(from + 8u * (Depth / 32)));
    };

    if (lane == 0u) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
            barrier_init(barriers + stage * 8u);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (unsigned stage = 0; stage < Stages && stage < steps; ++stage) {
            ask(stage, stage);
        }
    }
    __syncwarp();
    uint4 power[2], next[2];
    load_scales(power, 0u);
    float sum[8];
    unsigned a[2][8][4];
    unsigned expert = Experts, stage = 0, parity = 0;
#pragma unroll 1
    for (unsigned group = 0; group < steps; group += 2u) {
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
        if (group + 2u < steps) {
            load_scales(next, group + 2u);
        }
#pragma unroll
        for (unsigned u = 0; u < 2u; ++u) {
            barrier_wait(barriers + stage * 8u, parity);
            const unsigned offset = stage * BoxBytes;
            const uint4 top = load_shared(near + offset), low = load_shared(near + offset + 1024u);  // limiter
            const uint4 top_far = load_shared(far + offset), low_far = load_shared(far + offset + 1024u);
            const unsigned upper[2] = {u ? power[0].z : power[0].x, u ? power[0].w : power[0].y};
            const unsigned lower[2] = {u ? power[1].z : power[1].x, u ? power[1].w : power[1].y};
            decode_block(a[0], top, low, factor_of(upper[0], which), factor_of(lower[0], which));
            const uint64_t b = operand(base + (group % Steps + u) * 4u * AtomBytes);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (unsigned k = 0; k < 8u; ++k) {
                multiply(sum, a[0][k], b + k / 4u * (AtomBytes / 16u) + k % 4u * 2u);
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            decode_block(a[1], top_far, low_far, factor_of(upper[1], which), factor_of(lower[1], which));
            // All lanes have read the box.
            __syncwarp();
            if (lane == 0u && group + u + Stages < steps) {
                ask(group + u + Stages, stage);
            }
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (unsigned k = 0; k < 8u; ++k) {
                multiply(sum, a[1][k], b + (k / 4u + 2u) * (AtomBytes / 16u) + k % 4u * 2u);
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            wait_for_products<0>(sum);
            stage = stage + 1u == Stages ? 0u : stage + 1u;
            parity ^= stage == 0u;
        }
        power[0] = next[0];
        power[1] = next[1];
        if ((group + 2u) % Steps == 0u) {
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
