// mxfp4_moe_split: rows of a mixture of experts times MXFP4 weights; a row takes part with the weights of its expert alone.
//
// Shows:      mxfp4_moe with its producers relieved: a warpgroup only decodes, from boxes of packed weights that TMA brings; the two
//             warpgroups that multiply copy the rows of x themselves, by index, two steps ahead, into the stage that both are done with.
//             Blocks take their tiles from a queue, so that none waits for one that runs slower.
// Variants:   -DKERNEL=mxfp4_moe_w1_swiglu -DSWIGLU=1 gates: rows 2 i and 2 i + 1 of the weights give one output column.
//             -DKERNEL=mxfp4_moe_w2: the product alone. -DKERNEL=mxfp4_grouped_matmul -DRAGGED=1: groups one behind the other.
//             -DEXPERTS, -DCAPACITY (rows of the largest group), -DCOLUMNS and -DDEPTH give the shape. Scales are at most 2.
// Limiter:    the tensor pipe; decoding shares issue slots and shared memory with it.
// Launch:     grid 132 x 1 x 1, block 384 x 1 x 1, dynamic shared memory 222332 + 4 * EXPERTS bytes.
// Arguments:  bf16* out [EXPERTS * CAPACITY * outputs], const bf16* x [tokens * DEPTH], const unsigned* index [EXPERTS * CAPACITY],
//             const unsigned* count [EXPERTS], tensor map of uint8_t weight [EXPERTS * COLUMNS, DEPTH / 2] with boxes of 128 rows by 64 bytes,
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
constexpr unsigned Stages = 4;
constexpr unsigned RowsOffset = TileColumns * RowBytes;
constexpr unsigned StageBytes = (TileColumns + TileRows) * RowBytes;
constexpr unsigned BoxSteps = 2;       // steps whose packed weights come with one box: 64 bytes of a row, the width of its swizzle
constexpr unsigned BoxRowBytes = BoxSteps * TileK / 2u;
constexpr unsigned BoxBytes = TileColumns * BoxRowBytes;
constexpr unsigned Boxes = 3;          // at most under way or being read
constexpr unsigned TileBoxes = Steps / BoxSteps;
constexpr unsigned BoxOffset = Stages * StageBytes;
constexpr unsigned BarrierOffset = BoxOffset + Boxes * BoxBytes;
constexpr unsigned SlotOffset = BarrierOffset + 2u * (Stages + Boxes) * 8u;  // of two tiles to come
constexpr unsigned CountOffset = SlotOffset + 8u;
constexpr unsigned Consumers = TileColumns / 64u;  // warpgroups
constexpr unsigned Producers = 128;                // threads
constexpr unsigned Copies = TileRows * 8u / (128u * Consumers);  // of 16 bytes, by a consuming thread for each stage
constexpr unsigned Parts = TileColumns * 2u / Producers;        // blocks of 32 values, likewise
constexpr bool Gated = SWIGLU != 0;
constexpr bool Ragged = RAGGED != 0;
constexpr unsigned Outputs = Gated ? COLUMNS / 2 : COLUMNS;

static_assert(COLUMNS % TileColumns == 0 && Stages % BoxSteps == 0 && TileBoxes > Boxes && Steps % Stages == 0, "the shape is a whole number of tiles");

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

// Eight by eight 16-bit values of a warp, two to a lane, rows and columns exchanged.
__device__ __forceinline__ unsigned transposed(unsigned pair)
{
    unsigned result;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(pair));
    return result;
}

__device__ __forceinline__ float gated(float gate, float up)
{
    return __fdividef(gate, 1.0f + __expf(-gate)) * up;
}

// Which of 16 rows of the weights stands in a row of the tile. A lane of wgmma's result has rows i and i + 8 of a warp's 16 and,
// when the two 8 x 8 blocks are transposed, of rows 2 q, 2 q + 1, 2 q + 8 and 2 q + 9: gate and up beside each other before that,
// or four columns in a row after it.
__device__ __forceinline__ unsigned column_in_tile(unsigned row)
{
    const unsigned i = row & 7u, lower = row >> 3 & 1u;
    return (row & ~15u) + (Gated ? 2u * i + lower : i / 2u * 4u + lower * 2u + (i & 1u));
}

// Lane l of warp w holds, of its warpgroup's 64 columns x 256 rows, columns 16 w + l / 4 and 8 on, and of each 8 rows the two from
// 2 * (l mod 4): sum[4 j + 0, 1] in the first column, sum[4 j + 2, 3] in the second. `out` is the lane's place in the first row.
template <unsigned Rows>
__device__ __forceinline__ void store_tile(__nv_bfloat16* out, const float (&sum)[128], unsigned rows)
{
    const unsigned row = threadIdx.x % 32u / 4u;
#pragma unroll
    for (unsigned j = 0; j < Rows / 8u; ++j) {
        const float* const own = sum + j * 4u;
        __nv_bfloat16* const target = out + size_t(j) * 8u * Outputs;
        if (Gated) {
            const unsigned pair = transposed(pack(gated(own[0], own[2]), gated(own[1], own[3])));
            if (j * 8u + row < rows) {
                *reinterpret_cast<unsigned*>(target) = pair;
            }
        } else {
            const uint2 four = make_uint2(transposed(pack(own[0], own[1])), transposed(pack(own[2], own[3])));
            if (j * 8u + row < rows) {
                *reinterpret_cast<uint2*>(target) = four;
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
    const auto full = [&](unsigned stage) { return base + BarrierOffset + stage * 8u; };
    const auto empty = [&](unsigned stage) { return base + BarrierOffset + (Stages + stage) * 8u; };
    const auto box_full = [&](unsigned box) { return base + BarrierOffset + (2u * Stages + box) * 8u; };
    const auto box_empty = [&](unsigned box) { return base + BarrierOffset + (2u * Stages + Boxes + box) * 8u; };
    if (threadIdx.x < EXPERTS + RAGGED) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + CountOffset + threadIdx.x * 4u), "r"(count[threadIdx.x]) : "memory");
    }
    if (threadIdx.x == 0u) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
            barrier_init(full(stage), Producers / 32u + 128u * Consumers);
            barrier_init(empty(stage), Consumers);
        }
        for (unsigned box = 0; box < Boxes; ++box) {
            barrier_init(box_full(box), 1u);
            barrier_init(box_empty(box), Producers / 32u);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    Walk walk(base);
    unsigned phase = 0;

    if (threadIdx.x < Producers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 104;");
        // Rows of the weights: two threads decode one, a block of 32 values each, and that 64 rows below. Of SwiGLU's every other
        // row is one of the lower eight, so that eight lanes read 16 bytes of each bank.
        const unsigned nth = threadIdx.x / 2u, block = threadIdx.x % 2u;
        const unsigned row = Gated ? (nth & ~8u) | ((nth >> 3 ^ nth) & 1u) * 8u : nth;
        const unsigned weights = base + row * RowBytes, packed_row = column_in_tile(row);
        const unsigned packed = base + BoxOffset + packed_row * BoxRowBytes + (block ^ (packed_row >> 1 & 3u)) * 16u;
        unsigned box = 0, box_phase = 0, asked = 0, asked_phase = 0;
        const auto ask = [&](unsigned nth_box) {
            barrier_wait(box_empty(asked), asked_phase ^ 1u);
            request(base + BoxOffset + asked * BoxBytes, box_full(asked), &weight, nth_box * BoxRowBytes, walk.expert * COLUMNS + walk.column);
            asked = asked + 1u == Boxes ? 0u : asked + 1u;
            asked_phase ^= asked == 0u ? 1u : 0u;
        };
        const uint8_t* scales = nullptr;
        uint4 code[BoxSteps][Parts];
        uint2 power[Parts];
        const auto start = [&] {
            if (threadIdx.x == 0u) {
#pragma unroll 1
                for (unsigned i = 0; i < Boxes; ++i) {
                    ask(i);
                }
            }
            scales = scale + (size_t(walk.expert) * COLUMNS + walk.column + packed_row) * (DEPTH / 32);
#pragma unroll
            for (unsigned part = 0; part < Parts; ++part) {
                power[part] = *reinterpret_cast<const uint2*>(scales + part * 2u * DEPTH);
            }
        };
        start();
        unsigned taken = 0;
        while (true) {
#pragma unroll 1
            for (unsigned group = 0; group < Steps; group += Stages) {
                // The tile behind this one. Its slot was read before the stages of the tile before were free, and who waits for a
                // later stage of this one sees it.
                if (group == 0u && threadIdx.x == 0u) {
                    taken = atomicAdd(queue, 1u);
                }
                const bool is_last = group + Stages == Steps;
                scales += is_last ? 0u : Stages * (TileK / 32u);
                uint2 coming[Parts];
#pragma unroll
                for (unsigned part = 0; part < Parts; ++part) {
                    coming[part] = *reinterpret_cast<const uint2*>(scales + part * 2u * DEPTH);
                }
#pragma unroll
                for (unsigned u = 0; u < Stages; ++u) {
                    if (u % BoxSteps == 0u) {
                        const unsigned nth_box = (group + u) / BoxSteps;
                        if (threadIdx.x == 0u && nth_box > 0u && nth_box + Boxes <= TileBoxes) {
                            ask(nth_box + Boxes - 1u);
                        }
                        barrier_wait(box_full(box), box_phase);
#pragma unroll
                        for (unsigned step = 0; step < BoxSteps; ++step) {
#pragma unroll
                            for (unsigned part = 0; part < Parts; ++part) {
                                code[step][part] = load_packed((packed ^ step * (TileK / 2u)) + box * BoxBytes + part * 64u * BoxRowBytes);
                            }
                        }
                    }
                    barrier_wait(empty(u), phase ^ 1u);
#pragma unroll
                    for (unsigned part = 0; part < Parts; ++part) {
                        const unsigned codes = u & 2u ? power[part].y : power[part].x;
                        write_block(weights + u * StageBytes + part * 64u * RowBytes, row, block * 4u, code[u % BoxSteps][part],
                                    factor_of(codes >> ((u & 1u) * 16u + block * 8u) & 0xffu));
                    }
                    // What was read is used: the next box may come.
                    if (u % BoxSteps == BoxSteps - 1u) {
                        __syncwarp();
                        if (threadIdx.x % 32u == 0u) {
                            barrier_arrive(box_empty(box));
                        }
                        box = box + 1u == Boxes ? 0u : box + 1u;
                        box_phase ^= box == 0u ? 1u : 0u;
                    }
                    if (u == Stages - 1u && group == 0u && threadIdx.x == 0u) {
                        asm volatile("st.shared.u32 [%0], %1;" ::"r"(walk.coming()), "r"(taken) : "memory");
                    }
                    __syncwarp();
                    if (threadIdx.x % 32u == 0u) {
                        barrier_arrive(full(u));
                    }
                }
#pragma unroll
                for (unsigned part = 0; part < Parts; ++part) {
                    power[part] = coming[part];
                }
                phase ^= 1u;
            }
            walk.next();
            if (!walk.more()) {
                break;
            }
            start();
        }
        // Each block takes one tile that is not there; who took the last of these leaves the queue as it was.
        if (threadIdx.x == 0u && taken + 1u == walk.before + gridDim.x) {
            *queue = gridDim.x;
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
        const unsigned warpgroup = (threadIdx.x - Producers) / 128u;
        const uint64_t a_operand = operand(base + warpgroup * 64u * RowBytes), b_operand = operand(base + RowsOffset);
        const unsigned lane = threadIdx.x % 32u, first_column = warpgroup * 64u + threadIdx.x / 32u % 4u * 16u;
        const unsigned own_output = Gated ? first_column / 2u + lane % 4u * 2u : first_column + lane % 4u * 4u;
        // Rows of x: eight threads copy 16 bytes each of one, of 32 rows at a time, two steps ahead. Rows behind the last one are
        // copies of that.
        const unsigned piece = threadIdx.x % 8u, copied = (threadIdx.x - Producers) / 8u;
        const unsigned target = base + RowsOffset + copied * RowBytes + (piece ^ (copied & 7u)) * 16u;
        Walk ahead = walk;
        unsigned source[Copies], ahead_step = 0;
        bool is_half = false;
        const auto find = [&] {
            is_half = ahead.rows - ahead.row <= TileRows / 2u;
#pragma unroll
            for (unsigned i = 0; i < Copies; ++i) {
                source[i] = index[ahead.first + min(ahead.row + copied + i * 32u, ahead.rows - 1u)] * DEPTH + piece * 8u;
            }
        };
        const auto copy = [&](unsigned stage) {
            if (!ahead.more()) {
                return;
            }
#pragma unroll
            for (unsigned i = 0; i < Copies; ++i) {
                if (i < Copies / 2u || !is_half) {
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target + stage * StageBytes + i * 32u * RowBytes),
                                 "l"(x + source[i] + ahead_step)
                                 : "memory");
                }
            }
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(full(stage)) : "memory");
            ahead_step += TileK;
            if (ahead_step == DEPTH) {
                ahead_step = 0;
                ahead.next();
                if (ahead.more()) {
                    find();
                }
            }
        };
        if (walk.more()) {
            find();
        }
        copy(0);
        copy(1);
        bool is_first = true;  // group of steps, whose stages nobody has used
        float sum[128];
        const auto products = [&](auto product) {
#pragma unroll 1
            for (unsigned group = 0; group < Steps; group += Stages) {
#pragma unroll
                for (unsigned u = 0; u < Stages; ++u) {
                    barrier_wait(full(u), phase);
                    // What the producers stored and copied is seen by wgmma behind this. Here it stands where nothing else is on
                    // its way; a producer's would wait for its own loads as well.
                    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                    for (unsigned k = 0; k < TileK / 16u; ++k) {
                        product(a_operand + u * (StageBytes / 16u) + k * 2u, b_operand + u * (StageBytes / 16u) + k * 2u, group + u + k);
                    }
                    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                    // The products of the step before are done with their stage; those of this step run on.
                    wait_for_products<1>(sum);
                    if (group + u > 0u && threadIdx.x % 128u == 0u) {
                        barrier_arrive(empty((u + Stages - 1u) % Stages));
                    }
                    // Both warpgroups are done with the step before that.
                    if (u >= 2u) {
                        barrier_wait(empty((u + 2u) % Stages), phase);
                    } else if (!is_first) {
                        barrier_wait(empty((u + 2u) % Stages), phase ^ 1u);
                    }
                    copy((u + 2u) % Stages);
                }
                phase ^= 1u;
                is_first = false;
            }
            wait_for_products<0>(sum);
            if (threadIdx.x % 128u == 0u) {
                barrier_arrive(empty(Stages - 1u));
            }
        };
        for (; walk.more(); walk.next()) {
            const unsigned rows = walk.rows - walk.row;
            __nv_bfloat16* const place = out + (size_t(walk.first) + walk.row + lane / 4u) * Outputs +
                                         (Gated ? walk.column / 2u : walk.column) + own_output;
            if (rows <= TileRows / 2u) {
                products([&](uint64_t a, uint64_t b, unsigned keep) { multiply_half(sum, a, b, keep); });
                store_tile<TileRows / 2u>(place, sum, rows);
            } else {
                products([&](uint64_t a, uint64_t b, unsigned keep) { multiply(sum, a, b, keep); });  // limiter
                store_tile<TileRows>(place, sum, rows);
            }
        }
    }
}
