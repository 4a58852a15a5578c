// mxfp4_moe_small_m: at most 16 rows for each expert times MXFP4 weights, as one step of decoding does it.
//
// Shows:      the weights are read once: each warp's own ring of TMA boxes keeps 6 KB on their way, whatever the warp does meanwhile,
//             and costs neither registers nor address arithmetic. Four bits of E2M1 are four bits of E4M3 in other places, so that
//             eight weights cost seven instructions; the scale of a block multiplies its sum of 32 products, which is one product
//             of the tensor cores. x is the sum of two E4M3 numbers times a power of two for each row and quarter of the depth.
//             The four warpgroups share the depth of a tile, so that they read 512 bytes of each row side by side.
// Limiter:    device memory, which holds the packed weights.
// Variants:   -DEXPERTS, -DCAPACITY=16, -DCOLUMNS and -DDEPTH=4096 give the shape. x is finite.
// Launch:     grid 128 x 1 x 1 (as many tiles for each), block 512 x 1 x 1, dynamic shared memory 32 * DEPTH + 99968 bytes.
// Arguments:  bf16* out [EXPERTS * 16 * COLUMNS], const bf16* x [tokens * DEPTH], const unsigned* index [EXPERTS * 16],
//             const unsigned* count [EXPERTS], tensor map of uint8_t weight [EXPERTS * COLUMNS, DEPTH / 2] with boxes of 16 rows by
//             128 bytes in the 128-byte swizzle, const uint8_t* scale [EXPERTS * COLUMNS * DEPTH / 32]
// Result:     for r < count[e]: out[e][r][n] == sum over k of x[index[e][r]][k] * e2m1(weight[e][n][k]) * 2^(scale[e][n][k / 32] - 127);
//             values of x below 2^-10 of the largest of their row and quarter are rounded to 2^-18 of that.
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

constexpr unsigned Experts = EXPERTS, Capacity = CAPACITY, Columns = COLUMNS, Depth = DEPTH;
constexpr unsigned Groups = 4;                   // warpgroups; each takes a quarter of the depth of every tile
constexpr unsigned TileN = 64;                   // rows of the weights that a block takes at once, 16 for a warp of each warpgroup
constexpr unsigned TilesEach = Columns / TileN;  // of an expert
constexpr unsigned StepK = 256;                  // values of a row in a box: 128 bytes
constexpr unsigned Steps = Depth / StepK / Groups;
constexpr unsigned Stages = 3;                   // boxes of a warp on their way
constexpr unsigned BoxBytes = 16u * StepK / 2u;
constexpr unsigned PartBytes = Capacity * 128u;  // one of the two parts of 128 values of all rows of x
constexpr unsigned AtomBytes = 2u * PartBytes;
constexpr unsigned RingOffset = Depth / 128u * AtomBytes;
constexpr unsigned BarrierOffset = RingOffset + 16u * Stages * BoxBytes;
constexpr unsigned FactorOffset = BarrierOffset + 16u * Stages * 8u;
constexpr unsigned Pairs = StepK / 64u;          // of blocks with a scale
constexpr unsigned Nothing = ~0u;
constexpr unsigned Rows = Capacity / 4u;         // of x for each warp
static_assert(Capacity == 16 && Columns % TileN == 0 && Steps == 4 && Depth == Steps * Groups * StepK, "the shape is a whole number of tiles");

// The box of a warpgroup's step among those of a row: the four warpgroups read 512 bytes of each row side by side.
__device__ __forceinline__ unsigned chunk(unsigned group, unsigned step)
{
    return step * Groups + group;
}

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

// sum (64 x 16, one warpgroup) = a (64 x 32, registers) * b (16 x 32)^T, added to what sum held unless it is the first.
template <bool First>
__device__ __forceinline__ void multiply(float (&sum)[8], const unsigned (&a)[4], uint64_t b)
{
    if constexpr (First) {
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, 0, 1, 1;"
            : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3]), "=f"(sum[4]), "=f"(sum[5]), "=f"(sum[6]), "=f"(sum[7])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
    } else {
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, 1, 1, 1;"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
    }
}

// Waits until at most `Pending` groups of products of this warpgroup are in flight; the sums of the group that ended are ready.
template <unsigned Pending>
__device__ __forceinline__ void wait_for_products(float (&sum)[2][8])
{
    asm volatile("wgmma.wait_group.sync.aligned %16;"
                 : "+f"(sum[0][0]), "+f"(sum[0][1]), "+f"(sum[0][2]), "+f"(sum[0][3]), "+f"(sum[0][4]), "+f"(sum[0][5]), "+f"(sum[0][6]),
                   "+f"(sum[0][7]), "+f"(sum[1][0]), "+f"(sum[1][1]), "+f"(sum[1][2]), "+f"(sum[1][3]), "+f"(sum[1][4]), "+f"(sum[1][5]),
                   "+f"(sum[1][6]), "+f"(sum[1][7])
                 : "n"(Pending)
                 : "memory");
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

// One lane asks for a box; its bytes complete the barrier. Nobody reads the weights again, so that they leave L2 first.
__device__ __forceinline__ void request(unsigned shared, unsigned barrier, const CUtensorMap* map, unsigned byte, unsigned row)
{
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(BoxBytes) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
            shared),
        "l"(map), "r"(barrier), "r"(byte), "r"(row), "l"(policy)
        : "memory");
}

// Loads that stay where they are written: before the boxes they must not queue behind.
__device__ __forceinline__ unsigned load_word(const unsigned* address)
{
    unsigned value;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(address));
    return value;
}

__device__ __forceinline__ uint4 load_vector(const uint4* address)
{
    uint4 value;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(address));
    return value;
}

__device__ __forceinline__ void store_shared(unsigned address, const unsigned (&value)[4])
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3]) : "memory");
}

// Two blocks of 16 rows: word t of each lane's row and of the row 8 below, first of one block, then of the other.
__device__ __forceinline__ void load_blocks(unsigned (&word)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address)
                 : "memory");
}

// The values 0, 2, 4, 6 and 1, 3, 5, 7 of a word of eight as E4M3 times 2^-6: sign in bit 7, the other three bits in 4 to 2.
__device__ __forceinline__ unsigned decode_even(unsigned word)
{
    return ((word << 4) & 0x80808080u) | ((word << 2) & 0x1c1c1c1cu);
}

__device__ __forceinline__ unsigned decode_odd(unsigned word)
{
    return (word & 0x80808080u) | ((word >> 2) & 0x1c1c1c1cu);
}

// The power of two of byte `I` of four E8M0 codes.
template <unsigned I>
__device__ __forceinline__ float power_of(unsigned codes)
{
    return __uint_as_float((I < 3u ? codes << (23u - 8u * I) : codes >> 1) & 0x7f800000u);
}

// Two values as sums of two E4M3 numbers each, the greater ones in `upper`.
__device__ __forceinline__ void split(unsigned& upper, unsigned& lower, float first, float second)
{
    const __half2 values = __floats2half2_rn(first, second);
    unsigned short high, low;
    unsigned back;
    asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(high) : "r"(*reinterpret_cast<const unsigned*>(&values)));
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(back) : "h"(high));
    const __half2 rest = __hsub2(values, *reinterpret_cast<const __half2*>(&back));
    asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(low) : "r"(*reinterpret_cast<const unsigned*>(&rest)));
    upper = high;
    lower = low;
}

// Rows of x, 32 values to a lane of each: those of its warpgroup's quarter; zeros where the expert has no such row.
__device__ __forceinline__ void load_rows(uint4 (&values)[Rows][4], const __nv_bfloat16* x, const unsigned (&token)[Rows], unsigned first, unsigned rows,
                                          unsigned block)
{
#pragma unroll
    for (unsigned row = 0; row < Rows; ++row) {
        const uint4* const own = reinterpret_cast<const uint4*>(x + size_t(token[row]) * Depth) + block * 4u;
#pragma unroll
        for (unsigned i = 0; i < 4u; ++i) {
            values[row][i] = make_uint4(0u, 0u, 0u, 0u);
            if (first + row < rows) {
                values[row][i] = load_vector(own + i);
            }
        }
    }
}

// Stores a quarter of a row in two parts and what a sum of its products is multiplied with. A block of 32 values becomes two pieces of
// 16 bytes, those with even numbers and those with odd ones, as the weights come out of their words; in every other atom the odd ones
// stand first, so that no two lanes write to the same banks.
__device__ __forceinline__ void store_row(unsigned shared, float* factor, const uint4 (&values)[4], unsigned row, unsigned block)
{
    unsigned largest = 0;
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const uint4 v = values[i];
        largest = __vmaxu2(largest, __vmaxu2(__vmaxu2(v.x & 0x7fff7fffu, v.y & 0x7fff7fffu), __vmaxu2(v.z & 0x7fff7fffu, v.w & 0x7fff7fffu)));
    }
    // The largest value comes to lie from 2^7 to 2^8, of the 448 that E4M3 has.
    const unsigned exponent = max(__reduce_max_sync(0xffffffffu, max(largest >> 16, largest & 0xffffu)) >> 7, 7u);
    const float scale = __uint_as_float((261u - exponent) << 23);
    if (threadIdx.x % 32u == 0u) {
        *factor = __uint_as_float((exponent - 1u) << 23);  // 2^6 for the weights, over the scale
    }
    const auto halves = [&](unsigned (&upper)[4], unsigned (&lower)[4], unsigned i, unsigned one, unsigned two, unsigned three, unsigned four) {
        unsigned high[2], low[2];
        split(high[0], low[0], __uint_as_float(one) * scale, __uint_as_float(two) * scale);
        split(high[1], low[1], __uint_as_float(three) * scale, __uint_as_float(four) * scale);
        upper[i] = high[0] | high[1] << 16;
        lower[i] = low[0] | low[1] << 16;
    };
    unsigned even[2][4], odd[2][4];
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const uint4 v = values[i];
        halves(even[0], even[1], i, v.x << 16, v.y << 16, v.z << 16, v.w << 16);
        halves(odd[0], odd[1], i, v.x & 0xffff0000u, v.y & 0xffff0000u, v.z & 0xffff0000u, v.w & 0xffff0000u);
    }
    const unsigned atom = block / 4u, piece = block % 4u * 2u + atom % 2u;
    const unsigned to = shared + atom * AtomBytes + row * 128u + (piece ^ row % 8u) * 16u;
#pragma unroll
    for (unsigned part = 0; part < 2u; ++part) {
        store_shared(to + part * PartBytes, even[part]);
        store_shared((to + part * PartBytes) ^ 16u, odd[part]);
    }
}

// The 128 threads of a warpgroup, or of the warps that hold the same rows of the weights, wait for each other.
__device__ __forceinline__ void meet(unsigned barrier)
{
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

}  // namespace

extern "C" __global__ void __launch_bounds__(512, 1)
mxfp4_moe_small_m(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x, const unsigned* __restrict__ index,
                  const unsigned* __restrict__ count, const __grid_constant__ CUtensorMap weight, const uint8_t* __restrict__ scale)
{
    extern __shared__ uint8_t buffer[];
    const unsigned unaligned = static_cast<unsigned>(__cvta_generic_to_shared(buffer)), base = (unaligned + 1023u) & ~1023u;
    const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32u, 0), lane = threadIdx.x % 32u, t = lane % 4u;
    const unsigned group = warp / 4u, quarter = warp % 4u;  // of the depth; of the tile's rows of weights
    float* const factors = reinterpret_cast<float*>(buffer + (base - unaligned) + FactorOffset) + group * Capacity;
    const unsigned row = quarter * 16u + lane / 4u;  // of the tile; the lane also has the row 8 below
    const unsigned ring = base + RingOffset + warp * Stages * BoxBytes, barriers = base + BarrierOffset + warp * Stages * 8u;
    const unsigned pieces = ring + lane % 16u * 128u + (lane / 16u ^ lane % 8u) * 16u;
    const unsigned block = chunk(group, lane / 8u) * (StepK / 32u) + lane % 8u;  // of 32 values of x
    const uint8_t* const scales = scale + size_t(row) * (Depth / 32u) + chunk(group, t) * (StepK / 32u);

    const auto ask = [&](unsigned tile, unsigned step, unsigned stage) {
        request(ring + stage * BoxBytes, barriers + stage * 8u, &weight, chunk(group, step) * (StepK / 2u), tile * TileN + quarter * 16u);
    };
    // Scales of a tile, each lane of four those of one step.
    const auto load_scales = [&](uint2 (&codes)[2], unsigned tile) {
        const uint8_t* from = scales + size_t(tile) * TileN * (Depth / 32u);
#pragma unroll
        for (unsigned i = 0; i < 2u; ++i) {
            asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(codes[i].x), "=r"(codes[i].y) : "l"(from + i * 8u * (Depth / 32u)));
        }
    };
    unsigned tile = blockIdx.x * (Experts * TilesEach) / gridDim.x;
    const unsigned last = (blockIdx.x + 1u) * (Experts * TilesEach) / gridDim.x;
    // What the rows of x are found by goes first, one box of three behind it, then x, then the other two.
    unsigned held = Nothing, rows = 0, token[Rows];
    const auto look_up = [&] {
        const unsigned expert = tile / TilesEach;
#pragma unroll
        for (unsigned i = 0; i < Rows; ++i) {
            token[i] = load_word(index + expert * Capacity + quarter * Rows + i);
        }
        rows = load_word(count + expert);
    };
    look_up();
    if (lane == 0u) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
            barrier_init(barriers + stage * 8u);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        ask(tile, 0u, 0u);
    }
    __syncthreads();
    unsigned stage = 0, parity = 0;
    uint2 codes[2], next_codes[2];
#pragma unroll 1
    while (true) {
        if (held != tile / TilesEach) {
            if (held != Nothing) {
                look_up();
            }
            uint4 values[Rows][4];
            load_rows(values, x, token, quarter * Rows, rows, block);
            if (held == Nothing) {
                if (lane == 0u) {
                    for (unsigned stage = 1; stage < Stages; ++stage) {
                        ask(tile, stage, stage);
                    }
                }
                load_scales(codes, tile);
            }
            held = tile / TilesEach;
            meet(1u + group);
#pragma unroll
            for (unsigned i = 0; i < Rows; ++i) {
                store_row(base, factors + quarter * Rows + i, values[i], quarter * Rows + i, block);
            }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            meet(1u + group);
        }
        unsigned next = Nothing;
        float sum[8] = {};
#pragma unroll 1
        for (unsigned step = 0; step < Steps; ++step) {
            barrier_wait(barriers + stage * 8u, parity);
            const unsigned box = pieces + stage * BoxBytes;
            const uint64_t b = operand(base + chunk(group, step) * (StepK / 128u) * AtomBytes);
            unsigned word[Pairs][4], upper[2], lower[2];
#pragma unroll
            for (unsigned pair = 0; pair < Pairs; ++pair) {
                load_blocks(word[pair], box ^ pair * 32u);  // limiter
            }
            // The warps of a warpgroup go on together.
            meet(1u + group);
#pragma unroll
            for (unsigned pair = 0; pair < Pairs; ++pair) {
                const unsigned even = pair / 2u * 2u, odd = even ^ 2u;  // as x stands in the atom of the pair
                unsigned a[2][4];
                float part[2][8];
#pragma unroll
                for (unsigned i = 0; i < 2u; ++i) {
#pragma unroll
                    for (unsigned half = 0; half < 2u; ++half) {
                        a[i][even + half] = decode_even(word[pair][i * 2u + half]);
                        a[i][odd + half] = decode_odd(word[pair][i * 2u + half]);
                    }
                }
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (unsigned i = 0; i < 2u; ++i) {
                    const uint64_t at = b + pair / 2u * (AtomBytes / 16u) + (pair % 2u * 2u + i) * 2u;
                    multiply<true>(part[i], a[i], at);
                    multiply<false>(part[i], a[i], at + PartBytes / 16u);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                wait_for_products<0>(part);
                if (pair == 0u) {
                    const unsigned from = (lane & ~3u) | step;
                    upper[0] = __shfl_sync(0xffffffffu, codes[0].x, from);
                    upper[1] = __shfl_sync(0xffffffffu, codes[0].y, from);
                    lower[0] = __shfl_sync(0xffffffffu, codes[1].x, from);
                    lower[1] = __shfl_sync(0xffffffffu, codes[1].y, from);
                }
                const unsigned up = upper[pair / 2u], low = lower[pair / 2u];
                const float powers[2][2] = {{pair % 2u ? power_of<2>(up) : power_of<0>(up), pair % 2u ? power_of<2>(low) : power_of<0>(low)},
                                            {pair % 2u ? power_of<3>(up) : power_of<1>(up), pair % 2u ? power_of<3>(low) : power_of<1>(low)}};
#pragma unroll
                for (unsigned i = 0; i < 16u; ++i) {
                    sum[i % 8u] = fmaf(part[i / 8u][i % 8u], powers[i / 8u][i / 2u % 2u], sum[i % 8u]);
                }
            }
            // All lanes have read the box; that of the last step first holds sums.
            __syncwarp();
            if (step == 0u) {
                if (lane == 0u) {
                    ask(tile, Stages, stage);
                }
            } else {
                if (step == 1u) {
                    next = tile + 1u < last ? tile + 1u : Nothing;
                    load_scales(next_codes, next == Nothing ? tile : next);
                }
                if (lane == 0u && next != Nothing && step + 1u < Steps) {
                    ask(next, step - 1u, stage);
                }
            }
            if (step + 1u < Steps) {
                stage = stage + 1u == Stages ? 0u : stage + 1u;
                parity ^= stage == 0u;
            }
        }
        // The four warps that hold the same rows add up, each a quarter of the sums.
        const unsigned own = ring + stage * BoxBytes + lane * 8u;
#pragma unroll
        for (unsigned pair = 0; pair < 4u; ++pair) {
            const unsigned place = pair / 2u * 8u + 2u * t;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(own + pair * 256u), "f"(sum[pair * 2u] * factors[place]),
                         "f"(sum[pair * 2u + 1u] * factors[place + 1u])
                         : "memory");
        }
        meet(5u + quarter);
        float total[2] = {};
#pragma unroll
        for (unsigned from = 0; from < Groups; ++from) {
            float left, right;
            asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                         : "=f"(left), "=f"(right)
                         : "r"(own + (from - group) * (4u * Stages * BoxBytes) + group * 256u)
                         : "memory");
            total[0] += left;
            total[1] += right;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        meet(5u + quarter);
        if (lane == 0u && next != Nothing) {
            ask(next, Steps - 2u, stage);
        }
        stage = stage + 1u == Stages ? 0u : stage + 1u;
        parity ^= stage == 0u;
        const unsigned place = group / 2u * 8u + 2u * t, column = tile % TilesEach * TileN + row + group % 2u * 8u;
#pragma unroll
        for (unsigned i = 0; i < 2u; ++i) {
            if (place + i < rows) {
                out[(size_t(held) * Capacity + place + i) * Columns + column] = __float2bfloat16(total[i]);
            }
        }
        if (next == Nothing) {
            break;
        }
        tile = next;
        codes[0] = next_codes[0];
        codes[1] = next_codes[1];
    }
}
