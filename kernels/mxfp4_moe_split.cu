// mxfp4_moe_split: rows of a mixture of experts times MXFP4 weights; a row takes part with the weights of its expert alone.
//
// Shows:      mxfp4_moe with its producers relieved: a warpgroup only decodes, from boxes of packed weights that TMA brings; the two
//             warpgroups that multiply copy the rows of x themselves, by index. They share the rows, but each has half of the weights,
//             in stages of its own, and the second one runs steps behind the first: while one stores its half of a tile, the other
//             one's products go on. Blocks take their tiles from a queue, so that none waits for one that runs slower.
// Variants:   -DKERNEL=mxfp4_moe_w1_swiglu -DSWIGLU=1 gates: rows 2 i and 2 i + 1 of the weights give one output column.
//             -DKERNEL=mxfp4_moe_w2: the product alone. -DKERNEL=mxfp4_grouped_matmul -DRAGGED=1: groups one behind the other.
//             -DEXPERTS, -DCAPACITY (rows of the largest group), -DCOLUMNS and -DDEPTH give the shape. Scales are at most 2.
// Limiter:    the tensor pipe; decoding shares issue slots and shared memory with it.
// Launch:     grid 132 x 1 x 1, block 384 x 1 x 1, dynamic shared memory 230647 + 4 * EXPERTS bytes.
// Arguments:  bf16* out [EXPERTS * CAPACITY * outputs], const bf16* x [tokens * DEPTH], const unsigned* index [EXPERTS * CAPACITY],
//             const unsigned* count [EXPERTS], tensor map of uint8_t weight [EXPERTS * COLUMNS, DEPTH / 2] with boxes of 64 rows by 64 bytes,
//             const uint8_t* scale [EXPERTS * COLUMNS * DEPTH / 32], unsigned* queue [1], the number of blocks before and after;
//             outputs = COLUMNS, halved by SWIGLU
// Result:     for r < count[e], with v[n] = sum over k of x[index[e][r]][k] * e2m1(weight[e][n][k]) * 2^(scale[e][n][k / 32] - 127):
//             out[e][r][n] == v[n], with SWIGLU out[e][r][n] == silu(v[2 n]) * v[2 n + 1]; other rows stay as they were.
//             With RAGGED count holds EXPERTS + 1 offsets, and count[e] + r stands for e, r, for r < count[e + 1] - count[e].
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

#ifndef SWIGLU
#define SWIGLU 0
#endif
#ifndef RAGGED
#define RAGGED 0
#endif

namespace {

constexpr unsigned TileRows = 256;     // rows of x
constexpr unsigned TileColumns = 128;  // rows of the weights
constexpr unsigned TileK = 64;         // values of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned RowBytes = TileK * 2u;
constexpr unsigned Steps = DEPTH / TileK;
constexpr unsigned Consumers = TileColumns / 64u;  // warpgroups
constexpr unsigned Producers = 128;                // threads
constexpr unsigned Team = Producers / Consumers;   // of them, for the weights of one consumer
constexpr unsigned OwnColumns = TileColumns / Consumers;
constexpr unsigned RowStages = 5;      // of rows of x, which both consumers multiply
constexpr unsigned WeightStages = 3;   // of weights, for each consumer
constexpr unsigned Lag = 2;            // steps by which the second consumer is behind the first at the start
constexpr unsigned RowStageBytes = TileRows * RowBytes;
constexpr unsigned WeightStageBytes = OwnColumns * RowBytes;
constexpr unsigned BoxSteps = 2;       // steps whose packed weights come with one box: 64 bytes of a row, the width of its swizzle
constexpr unsigned BoxRowBytes = BoxSteps * TileK / 2u;
constexpr unsigned BoxBytes = OwnColumns * BoxRowBytes;
constexpr unsigned Boxes = 2;          // for each consumer at most under way or being read
constexpr unsigned ScaleSteps = 4;     // steps whose scales come with one load of eight bytes
constexpr unsigned WeightOffset = RowStages * RowStageBytes;
constexpr unsigned BoxOffset = WeightOffset + Consumers * WeightStages * WeightStageBytes;
constexpr unsigned BarrierOffset = BoxOffset + Consumers * Boxes * BoxBytes;
constexpr unsigned Barriers = 2u * (RowStages + Consumers * (WeightStages + Boxes));
constexpr unsigned SlotOffset = BarrierOffset + Barriers * 8u;   // of two tiles to come
constexpr unsigned CountOffset = SlotOffset + 8u;
constexpr unsigned Copies = TileRows * 8u / (128u * Consumers);  // of 16 bytes, by a consuming thread for each step
constexpr unsigned Parts = OwnColumns * 2u / Team;               // blocks of 32 values, by a decoding thread for each step
constexpr unsigned PartRows = OwnColumns / Parts;
constexpr bool Gated = SWIGLU != 0;
constexpr bool Ragged = RAGGED != 0;
constexpr unsigned Outputs = Gated ? COLUMNS / 2 : COLUMNS;

static_assert(COLUMNS % TileColumns == 0 && ScaleSteps == BoxSteps * Boxes && Steps % ScaleSteps == 0 && Steps > ScaleSteps,
              "the shape is a whole number of tiles");

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier), "r"(parity)
        : "memory");
}

#define AUDIT_SUM_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define AUDIT_SUM_16(i) AUDIT_SUM_4(i), AUDIT_SUM_4(i + 4), AUDIT_SUM_4(i + 8), AUDIT_SUM_4(i + 12)
#define AUDIT_SUM_64(i) AUDIT_SUM_16(i), AUDIT_SUM_16(i + 16), AUDIT_SUM_16(i + 32), AUDIT_SUM_16(i + 48)

// sum (64 x 256, one warpgroup) = a (64 x 16) * b (256 x 16)^T, plus the old sum where accumulate is not zero.
__device__ __forceinline__ void multiply(float (&sum)[128], uint64_t a, uint64_t b, unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, keep, 1, 1, 0, 0;\n}"
        : AUDIT_SUM_64(0), AUDIT_SUM_64(64)
        : "l"(a), "l"(b), "r"(accumulate));
}

// sum (64 x 128) of the same, with the first half of the sums.
__device__ __forceinline__ void multiply_half(float (&sum)[128], uint64_t a, uint64_t b, unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, keep, 1, 1, 0, 0;\n}"
        : AUDIT_SUM_64(0)
        : "l"(a), "l"(b), "r"(accumulate));
}

// Waits until at most `Pending` groups of products of this warpgroup are in flight; naming the sums keeps their uses behind it.
template <unsigned Pending>
__device__ __forceinline__ void wait_for_products(float (&sum)[128])
{
    asm volatile("wgmma.wait_group.sync.aligned %128;" : AUDIT_SUM_64(0), AUDIT_SUM_64(64) : "n"(Pending) : "memory");
}

// Eight E2M1 values with one scale as eight BF16, in order. A nibble times 2^12 + 2^6 has its sign in bit 15 and its magnitude in
// bits 8 to 6: as the lower bits of a BF16 exponent and its highest bit of mantissa that is the value times 2^-126, also below
// one. The factor brings that back.
__device__ __forceinline__ unsigned spread(unsigned pair, __nv_bfloat162 factor)
{
    const unsigned code = (pair & 0x000f000fu) * 0x1040u & 0x81c081c0u;
    const __nv_bfloat162 product = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&code), factor);
    return *reinterpret_cast<const unsigned*>(&product);
}

__device__ __forceinline__ uint4 decode(unsigned word, __nv_bfloat162 factor)
{
    const unsigned odd = word >> 4;
    const unsigned low = __byte_perm(word, odd, 0x5410u), high = __byte_perm(word, odd, 0x7632u);
    return make_uint4(spread(low, factor), spread(low >> 8, factor), spread(high, factor), spread(high >> 8, factor));
}

// 2^126 times a power of two from its E8M0 code, in both halves.
__device__ __forceinline__ __nv_bfloat162 factor_of(unsigned code)
{
    const unsigned both = (code + 126u) * 0x00800080u;
    return *reinterpret_cast<const __nv_bfloat162*>(&both);
}

// Decodes 32 values of a row with one scale into four 16-byte pieces of the swizzled row.
__device__ __forceinline__ void write_block(unsigned row_address, unsigned row, unsigned first_piece, uint4 packed, __nv_bfloat162 factor)
{
    const unsigned word[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const uint4 values = decode(word[i], factor);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(row_address + ((first_piece + i) ^ (row & 7u)) * 16u), "r"(values.x),
                     "r"(values.y), "r"(values.z), "r"(values.w)
                     : "memory");
    }
}

// 16 bytes of packed weights.
__device__ __forceinline__ uint4 load_packed(unsigned shared)
{
    uint4 value;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "r"(shared));
    return value;
}

// Asks for a box of packed weights; the barrier counts its bytes.
__device__ __forceinline__ void request(unsigned shared, unsigned barrier, const CUtensorMap* map, unsigned byte, unsigned row)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(BoxBytes) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared),
                 "l"(map), "r"(barrier), "r"(byte), "r"(row)
                 : "memory");
}

__device__ __forceinline__ unsigned pack(float left, float right)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(left, right);
    return *reinterpret_cast<const unsigned*>(&pair);
}

__device__ __forceinline__ float gated(float gate, float up)
{
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(gate * -1.4426950408889634f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1.0f + power));
    return gate * inverse * up;
}

// Which of 16 rows of the weights stands in a row of the tile. A lane of wgmma's result has rows i and i + 8 of a warp's 16: two
// columns beside each other, of SwiGLU gate and up of one.
__device__ __forceinline__ unsigned column_in_tile(unsigned row) { return (row & ~15u) + (row & 7u) * 2u + (row >> 3 & 1u); }

// Lane l of warp w holds, of its warpgroup's 64 columns x 256 rows, columns 16 w + 2 * (l / 4) and the one behind, and of each 8
// rows the two from 2 * (l mod 4): sum[4 j + 0, 1] in the first column, sum[4 j + 2, 3] in the second. `out` is the lane's place in
// the first of its rows, `rows` how many there are from there on.
template <unsigned Rows>
__device__ __forceinline__ void store_tile(__nv_bfloat16* out, const float (&sum)[128], int rows)
{
#pragma unroll
    for (unsigned j = 0; j < Rows / 8u; ++j) {
#pragma unroll
        for (unsigned i = 0; i < 2u; ++i) {
            const float first = sum[j * 4u + i], second = sum[j * 4u + 2u + i];
            __nv_bfloat16* const target = out + size_t(j * 8u + i) * Outputs;
            const int before = j * 8u + i;
            // As predicates: what is stored must not be computed behind a branch for each.
            if (Gated) {
                const unsigned short value = __bfloat16_as_ushort(__float2bfloat16_rn(gated(first, second)));
                asm volatile("{\n.reg .pred is;\nsetp.gt.s32 is, %2, %3;\n@is st.global.b16 [%0], %1;\n}" ::"l"(target), "h"(value),
                             "r"(rows), "r"(before)
                             : "memory");
            } else {
                asm volatile("{\n.reg .pred is;\nsetp.gt.s32 is, %2, %3;\n@is st.global.b32 [%0], %1;\n}" ::"l"(target),
                             "r"(pack(first, second)), "r"(rows), "r"(before)
                             : "memory");
            }
        }
    }
}

// The tiles of a block, one of the first gridDim.x and then what the queue gives: rows of an expert fastest, then its columns, then
// experts.
struct Walk {
    unsigned counts;  // address of the rows of each expert, or of the first one of each and of the end
    unsigned slots;   // address of the tiles to come, the odd ones in the second slot
    unsigned nth;     // of this block's tiles
    unsigned tile, expert, before, first, rows, row, column;

    __device__ __forceinline__ Walk(unsigned base)
        : counts(base + CountOffset), slots(base + SlotOffset), nth(0), tile(blockIdx.x), expert(0), before(0)
    {
        take();
        locate();
    }
    __device__ __forceinline__ unsigned count(unsigned at) const
    {
        unsigned value;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(counts + at * 4u));
        return value;
    }
    __device__ __forceinline__ void take()
    {
        first = Ragged ? count(expert) : expert * CAPACITY;
        rows = Ragged ? count(expert + 1u) - first : count(expert);
    }
    __device__ __forceinline__ unsigned tall() const { return (rows + TileRows - 1u) / TileRows; }
    __device__ __forceinline__ bool more() const { return expert < EXPERTS; }
    __device__ __forceinline__ void locate()
    {
        while (tile - before >= tall() * (COLUMNS / TileColumns)) {
            before += tall() * (COLUMNS / TileColumns);
            expert += 1u;
            if (expert == EXPERTS) {
                return;
            }
            take();
        }
        row = (tile - before) % tall() * TileRows;
        column = (tile - before) / tall() * TileColumns;
    }
    __device__ __forceinline__ unsigned coming() const { return slots + (nth + 1u) % 2u * 4u; }
    __device__ __forceinline__ void next()
    {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(tile) : "r"(coming()));
        nth += 1u;
        locate();
    }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(128 * Consumers + Producers, 1)
KERNEL(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x, const unsigned* __restrict__ index,
       const unsigned* __restrict__ count, const __grid_constant__ CUtensorMap weight, const uint8_t* __restrict__ scale,
       unsigned* __restrict__ queue)
{
    extern __shared__ uint8_t buffer[];
    const unsigned base = (static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + 1023u) & ~1023u;
    const auto barrier = [&](unsigned nth) { return base + BarrierOffset + nth * 8u; };
    const auto rows_full = [&](unsigned stage) { return barrier(stage); };
    const auto rows_empty = [&](unsigned stage) { return barrier(RowStages + stage); };
    const auto weights_full = [&](unsigned consumer, unsigned stage) { return barrier(2u * RowStages + consumer * WeightStages + stage); };
    const auto weights_empty = [&](unsigned consumer, unsigned stage) {
        return barrier(2u * RowStages + (Consumers + consumer) * WeightStages + stage);
    };
    const auto box_full = [&](unsigned consumer, unsigned box) {
        return barrier(2u * (RowStages + Consumers * WeightStages) + consumer * Boxes + box);
    };
    const auto box_empty = [&](unsigned consumer, unsigned box) {
        return barrier(2u * (RowStages + Consumers * WeightStages) + (Consumers + consumer) * Boxes + box);
    };
    if (threadIdx.x < EXPERTS + RAGGED) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + CountOffset + threadIdx.x * 4u), "r"(count[threadIdx.x]) : "memory");
    }
    if (threadIdx.x == 0u) {
        for (unsigned stage = 0; stage < RowStages; ++stage) {
            barrier_init(rows_full(stage), 128u * Consumers);
            barrier_init(rows_empty(stage), Consumers);
        }
        for (unsigned consumer = 0; consumer < Consumers; ++consumer) {
            for (unsigned stage = 0; stage < WeightStages; ++stage) {
                barrier_init(weights_full(consumer, stage), Team / 32u);
                barrier_init(weights_empty(consumer, stage), 1u);
            }
            for (unsigned box = 0; box < Boxes; ++box) {
                barrier_init(box_full(consumer, box), 1u);
                barrier_init(box_empty(consumer, box), Team / 32u);
            }
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    Walk walk(base);
    // The stage of a ring that comes next, and the parity of its barrier.
    const auto advance = [](unsigned& stage, unsigned& phase, unsigned stages) {
        stage = stage + 1u == stages ? 0u : stage + 1u;
        phase ^= stage == 0u ? 1u : 0u;
    };

    if (threadIdx.x < Producers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 104;");
        // Rows of the weights, for one consumer: two threads decode one, a block of 32 values each, and that 32 rows below. Every
        // other row is one of the lower eight, so that eight lanes read 16 bytes of each bank.
        const unsigned consumer = threadIdx.x / Team, member = threadIdx.x % Team;
        const unsigned nth = member / 2u, block = member % 2u;
        const unsigned row = (nth & ~8u) | ((nth >> 3 ^ nth) & 1u) * 8u, packed_row = column_in_tile(row);
        const unsigned weights = base + WeightOffset + consumer * WeightStages * WeightStageBytes + row * RowBytes;
        const unsigned boxes = base + BoxOffset + consumer * Boxes * BoxBytes;
        const unsigned packed = boxes + packed_row * BoxRowBytes + (block ^ (packed_row >> 1 & 3u)) * 16u;
        unsigned stage = 0, phase = 0, box_phase = 0, taken = 0, column = 0;
        const uint8_t* scales = nullptr;
        uint2 power[Parts], coming[Parts];
        const auto ask = [&](unsigned nth_box, unsigned parity) {
            const unsigned box = nth_box % Boxes;
            barrier_wait(box_empty(consumer, box), parity);
            request(boxes + box * BoxBytes, box_full(consumer, box), &weight, nth_box * BoxRowBytes, column);
        };
        const auto start = [&] {
            column = walk.expert * COLUMNS + walk.column + consumer * OwnColumns;
            scales = scale + (size_t(column) + packed_row) * (DEPTH / 32);
        };
        const auto load_scales = [&] {
#pragma unroll
            for (unsigned part = 0; part < Parts; ++part) {
                coming[part] = *reinterpret_cast<const uint2*>(scales + part * PartRows * (DEPTH / 32));
            }
            scales += ScaleSteps * (TileK / 32u);
        };
        if (walk.more()) {
            start();
            if (member == 0u) {
#pragma unroll
                for (unsigned i = 0; i < Boxes; ++i) {
                    ask(i, 1u);
                }
            }
            load_scales();
        }
        unsigned group = 0;
#pragma unroll 1
        while (walk.more()) {
            // The tile behind this one. Its slot was read before the stages of the tile before were free, and who waits for a later
            // stage of this one sees it.
            const bool takes = group == 0u && threadIdx.x == 0u;
            if (takes) {
                taken = atomicAdd(queue, 1u);
            }
            const unsigned slot = walk.coming();
#pragma unroll
            for (unsigned part = 0; part < Parts; ++part) {
                power[part] = coming[part];
            }
            // What is asked for from here on is the next tile's where this group is the last one.
            group += ScaleSteps;
            if (group == Steps) {
                group = 0;
                walk.next();
            }
            if (walk.more()) {
                if (group == 0u) {
                    start();
                }
                load_scales();
            }
#pragma unroll
            for (unsigned box = 0; box < Boxes; ++box) {
                barrier_wait(box_full(consumer, box), box_phase);
                uint4 code[BoxSteps][Parts];
#pragma unroll
                for (unsigned step = 0; step < BoxSteps; ++step) {
#pragma unroll
                    for (unsigned part = 0; part < Parts; ++part) {
                        code[step][part] =
                            load_packed((packed ^ step * (TileK / 2u)) + box * BoxBytes + part * PartRows * BoxRowBytes);
                    }
                }
#pragma unroll
                for (unsigned step = 0; step < BoxSteps; ++step) {
                    barrier_wait(weights_empty(consumer, stage), phase ^ 1u);
#pragma unroll
                    for (unsigned part = 0; part < Parts; ++part) {
                        const unsigned codes = box == 0u ? power[part].x : power[part].y;
                        write_block(weights + stage * WeightStageBytes + part * PartRows * RowBytes, row, block * 4u,
                                    code[step][part], factor_of(codes >> (step * 16u + block * 8u) & 0xffu));
                    }
                    // What was read is used: the next box may come.
                    if (step == BoxSteps - 1u) {
                        __syncwarp();
                        if (threadIdx.x % 32u == 0u) {
                            barrier_arrive(box_empty(consumer, box));
                        }
                    }
                    if (box == Boxes - 1u && step == BoxSteps - 1u && takes) {
                        asm volatile("st.shared.u32 [%0], %1;" ::"r"(slot), "r"(taken) : "memory");
                    }
                    __syncwarp();
                    if (threadIdx.x % 32u == 0u) {
                        barrier_arrive(weights_full(consumer, stage));
                    }
                    advance(stage, phase, WeightStages);
                }
                if (walk.more() && member == 0u) {
                    ask(group / BoxSteps + box, box_phase);
                }
            }
            box_phase ^= 1u;
        }
        // Each block takes one tile that is not there; who took the last of these leaves the queue as it was.
        if (threadIdx.x == 0u && taken + 1u == walk.before + gridDim.x) {
            *queue = gridDim.x;
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
        const unsigned consumer = __shfl_sync(~0u, (threadIdx.x - Producers) / 128u, 0);  // uniform, as the compiler sees it
        const uint64_t a_operand = operand(base + WeightOffset + consumer * WeightStages * WeightStageBytes), b_operand = operand(base);
        const unsigned lane = threadIdx.x % 32u, first_column = consumer * OwnColumns + threadIdx.x / 32u % 4u * 16u + lane / 4u * 2u;
        // Rows of x: eight threads copy 16 bytes each of one, of 32 rows at a time. Rows behind the last one are copies of that. A
        // step's rows need both consumers, so the one behind copies ahead by the lag as well.
        const unsigned piece = threadIdx.x % 8u, copied = (threadIdx.x - Producers) / 8u;
        const unsigned target = base + copied * RowBytes + (piece ^ (copied & 7u)) * 16u;
        Walk ahead = walk;
        const __nv_bfloat16* ahead_x = x;  // at the column that comes next
        unsigned source[Copies], copy_stage = 0, copy_phase = 0;
        bool is_half = false;
        const auto find = [&] {
            is_half = ahead.rows - ahead.row <= TileRows / 2u;
#pragma unroll
            for (unsigned i = 0; i < Copies; ++i) {
                source[i] = index[ahead.first + min(ahead.row + copied + i * 32u, ahead.rows - 1u)] * DEPTH + piece * 8u;
            }
        };
        const auto copy = [&] {
            if (!ahead.more()) {
                return;
            }
            barrier_wait(rows_empty(copy_stage), copy_phase ^ 1u);
#pragma unroll
            for (unsigned i = 0; i < Copies; ++i) {
                if (i < Copies / 2u || !is_half) {
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target + copy_stage * RowStageBytes +
                                                                                   i * 32u * RowBytes),
                                 "l"(ahead_x + source[i])
                                 : "memory");
                }
            }
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(rows_full(copy_stage)) : "memory");
            advance(copy_stage, copy_phase, RowStages);
            ahead_x += TileK;
            if (ahead_x == x + DEPTH) {
                ahead_x = x;
                ahead.next();
                if (ahead.more()) {
                    find();
                }
            }
        };
        if (walk.more()) {
            find();
        }
#pragma unroll 1
        for (unsigned i = 0; i < RowStages - 1u - Lag * (1u - consumer); ++i) {
            copy();
        }
        // The first consumer asks for these rows `Lag - 1` steps from the start.
        if (walk.more() && consumer == 1u) {
            barrier_wait(rows_full(RowStages - 2u), 0u);
        }
        float sum[128];
        unsigned row_stage = 0, row_phase = 0, weight_stage = 0, weight_phase = 0;
        const auto products = [&](auto product) {
            unsigned used_rows = 0, used_weights = 0;
            const auto release = [&] {
                if (threadIdx.x % 128u == 0u) {
                    barrier_arrive(rows_empty(used_rows));
                    barrier_arrive(weights_empty(consumer, used_weights));
                }
            };
#pragma unroll 1
            for (unsigned step = 0; step < Steps; ++step) {
                barrier_wait(rows_full(row_stage), row_phase);
                barrier_wait(weights_full(consumer, weight_stage), weight_phase);
                // What the producers stored and copied is seen by wgmma behind this. Here it stands where nothing else is on
                // its way; a producer's would wait for its own loads as well.
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                const uint64_t a = a_operand + weight_stage * (WeightStageBytes / 16u), b = b_operand + row_stage * (RowStageBytes / 16u);
#pragma unroll
                for (unsigned k = 0; k < TileK / 16u; ++k) {
                    product(a + k * 2u, b + k * 2u, k > 0u ? 1u : step);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                // The products of the step before are done with their stages; those of this step run on.
                wait_for_products<1>(sum);
                if (step > 0u) {
                    release();
                }
                copy();
                used_rows = row_stage;
                used_weights = weight_stage;
                advance(row_stage, row_phase, RowStages);
                advance(weight_stage, weight_phase, WeightStages);
            }
            wait_for_products<0>(sum);
            release();
        };
        for (; walk.more(); walk.next()) {
            const unsigned row = lane % 4u * 2u, rows = walk.rows - walk.row;
            __nv_bfloat16* const place = out + (size_t(walk.first) + walk.row + row) * Outputs +
                                         (walk.column + first_column) / (Gated ? 2u : 1u);
            if (rows <= TileRows / 2u) {
                products([&](uint64_t a, uint64_t b, unsigned keep) { multiply_half(sum, a, b, keep); });
                store_tile<TileRows / 2u>(place, sum, int(rows) - int(row));
            } else {
                products([&](uint64_t a, uint64_t b, unsigned keep) { multiply(sum, a, b, keep); });  // limiter
                store_tile<TileRows>(place, sum, int(rows) - int(row));
            }
        }
    }
}
