// mlp_fused: a small network of eight layers over a million samples, 64 values wide, 16 wide at the end, as neural radiance fields
// use it: all weights in shared memory, values in registers from the first layer to the last.
//
// Shows:      products of single warps (mma.sync) at good quality: the sums of one layer are, packed to halves, the left operand of the
//             next, so that a layer asks shared memory for its weights alone; samples of the next tile arrive meanwhile by cp.async.
// Limiter:    the tensor cores: a layer of a warp is 128 products, 512 cycles of a scheduler at the rate of the data sheet and about
//             800 at what HMMA reaches of it, for 16 loads of weights (64 wavefronts, which four schedulers share) and 240 slots of issue;
//             device memory takes 40 % of the time for 160 bytes a sample.
// Lever:      products of a warpgroup (wgmma), which read the weights once for four warps and reach the full rate.
// Shape:      samples = 1048576; 7 layers of 64 x 64 and one of 16 x 64, row n holds output n.
// Launch:     grid 264 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 92160 bytes.
// Arguments:  unsigned* out [samples * 8], const uint4* in [samples * 8], const uint4* hidden [7 * 64 * 8], const uint4* last [16 * 8],
//             unsigned samples (all halves, side by side)
// Result:     out == last · v, v after seven times v := max(0, hidden[layer] · v) from v == in, rounded to halves after each layer

constexpr unsigned LAYERS = 7u, LAYER_BYTES = 64u * 128u, WEIGHT_BYTES = LAYERS * LAYER_BYTES + 16u * 128u, TILE_BYTES = 64u * 128u;

// The place of 16 bytes in rows of 128 bytes, so that eight rows of a matrix lie in different banks.
__device__ unsigned swizzled(unsigned row, unsigned chunk)
{
    return row * 128u + (chunk ^ row % 8u) * 16u;
}

__device__ void copy16(unsigned shared, const uint4* global)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global));
}

__device__ void load_matrices(unsigned (&part)[4], unsigned shared)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
                 : "r"(shared)
                 : "memory");
}

__device__ void multiply(float (&sum)[4], const unsigned (&left)[4], unsigned low, unsigned high)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(low), "r"(high));
}

__device__ unsigned packed(float low, float high)
{
    unsigned both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

__device__ unsigned packed_relu(float low, float high)
{
    unsigned both;
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// Sixteen outputs of 64 samples: two columns of products for each sixteen samples.
__device__ void sixteen_outputs(float (&sum)[4][2][4], const unsigned (&value)[4][4][4], unsigned weights, unsigned lane)
{
#pragma unroll
    for (unsigned i = 0; i < 32u; ++i) {
        sum[i / 8u][i / 4u % 2u][i % 4u] = 0.0f;
    }
#pragma unroll
    for (unsigned k = 0; k < 4u; ++k) {
        unsigned part[4];
        load_matrices(part, weights + swizzled(lane / 16u * 8u + lane % 8u, 2u * k + lane / 8u % 2u));
#pragma unroll
        for (unsigned i = 0; i < 8u; ++i) {
            multiply(sum[i / 2u][i % 2u], value[i / 2u][k], part[i % 2u * 2u], part[i % 2u * 2u + 1u]);  // limiter
        }
    }
}

__device__ void fetch(unsigned tile, const uint4* in, unsigned lane)
{
#pragma unroll
    for (unsigned i = 0; i < 16u; ++i) {
        const unsigned at = i * 32u + lane;
        copy16(tile + swizzled(at / 8u, at % 8u), in + at);
    }
    asm volatile("cp.async.commit_group;");
}

__global__ void __launch_bounds__(128, 2)
    mlp_fused(unsigned* __restrict__ out, const uint4* __restrict__ in, const uint4* __restrict__ hidden,
              const uint4* __restrict__ last, unsigned samples)
{
    extern __shared__ __align__(128) unsigned char storage[];
    const unsigned weights = static_cast<unsigned>(__cvta_generic_to_shared(storage));
    const unsigned lane = threadIdx.x % 32u, tile = weights + WEIGHT_BYTES + threadIdx.x / 32u * TILE_BYTES;
    for (unsigned at = threadIdx.x; at < WEIGHT_BYTES / 16u; at += 128u) {
        const uint4* from = at < LAYERS * 512u ? hidden + at : last + (at - LAYERS * 512u);
        copy16(weights + swizzled(at / 8u, at % 8u), from);
    }
    unsigned first = (blockIdx.x * 4u + threadIdx.x / 32u) * 64u;
    fetch(tile, in + first * 8u, lane);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (; first < samples; first += gridDim.x * 256u) {
        unsigned value[4][4][4];
        float sum[4][2][4];
#pragma unroll
        for (unsigned i = 0; i < 16u; ++i) {
            load_matrices(value[i / 4u][i % 4u], tile + swizzled(i / 4u * 16u + lane % 16u, i % 4u * 2u + lane / 16u));
        }
        __syncwarp();
        if (first + gridDim.x * 256u < samples) {
            fetch(tile, in + (first + gridDim.x * 256u) * 8u, lane);
        }
#pragma unroll 1
        for (unsigned layer = 0; layer < LAYERS; ++layer) {
            unsigned next[4][4][4];
#pragma unroll
            for (unsigned n = 0; n < 4u; ++n) {
                sixteen_outputs(sum, value, weights + layer * LAYER_BYTES + n * 16u * 128u, lane);
#pragma unroll
                for (unsigned i = 0; i < 16u; ++i) {
                    const float* pair = &sum[i / 4u][i % 4u / 2u][i % 2u * 2u];
                    next[i / 4u][n][i % 4u] = packed_relu(pair[0], pair[1]);
                }
            }
#pragma unroll
            for (unsigned i = 0; i < 64u; ++i) {
                value[i / 16u][i / 4u % 4u][i % 4u] = next[i / 16u][i / 4u % 4u][i % 4u];
            }
        }
        sixteen_outputs(sum, value, weights + LAYERS * LAYER_BYTES, lane);
#pragma unroll
        for (unsigned i = 0; i < 16u; ++i) {
            const float* pair = &sum[i / 4u][i / 2u % 2u][i % 2u * 2u];
            out[(first + i / 4u * 16u + i % 2u * 8u + lane / 4u) * 8u + i / 2u % 2u * 4u + lane % 4u] = packed(pair[0], pair[1]);
        }
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncwarp();
    }
}
