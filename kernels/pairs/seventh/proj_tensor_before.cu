// proj_tensor_before: product of FP32 activations with FP32 weights, both along rows, by tensor cores in TF32, tiles of 128 x 128 x 32, a
// warp to 64 x 32, loads ahead in registers.
constexpr int Tile = 128, Deep = 32, Pitch = 36;

__device__ __forceinline__ unsigned rounded(float v)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return r;
}

struct Stage {
    float4 v[4];
    __device__ __forceinline__ void load(const float* __restrict__ from, int depth, int k)
    {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = *reinterpret_cast<const float4*>(from + (long long)(threadIdx.x / 8 + 32 * i) * depth + k + threadIdx.x % 8 * 4);
        }
    }
    __device__ __forceinline__ void store(unsigned* to) const
    {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            *reinterpret_cast<uint4*>(to + (threadIdx.x / 8 + 32 * i) * Pitch + threadIdx.x % 8 * 4) = make_uint4(rounded(v[i].x), rounded(v[i].y), rounded(v[i].z), rounded(v[i].w));
        }
    }
};

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256, 2) proj_tensor_before(float* __restrict__ out, const float* __restrict__ x, const float* __restrict__ weight, int depth, int width)
{
    __shared__ __align__(16) unsigned left[Tile * Pitch], right[Tile * Pitch];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4, top = warp / 4 * 64, side = warp % 4 * 32;
    const float *from = x + (long long)blockIdx.y * Tile * depth, *with = weight + (long long)blockIdx.x * Tile * depth;
    float c[4][4][4] = {};
    Stage a, b;
    a.load(from, depth, 0);
    b.load(with, depth, 0);
    for (int k0 = 0; k0 < depth; k0 += Deep) {
        a.store(left);
        b.store(right);
        __syncthreads();
        if (k0 + Deep < depth) {
            a.load(from, depth, k0 + Deep);
            b.load(with, depth, k0 + Deep);
        }
#pragma unroll
        for (int k = 0; k < Deep; k += 8) {
            unsigned p[4][4], r[4][2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const unsigned* row = left + (top + 16 * i + g) * Pitch + k + q;
                p[i][0] = row[0];
                p[i][1] = row[8 * Pitch];
                p[i][2] = row[4];
                p[i][3] = row[8 * Pitch + 4];
                const unsigned* column = right + (side + 8 * i + g) * Pitch + k + q;
                r[i][0] = column[0];
                r[i][1] = column[4];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    multiply(c[i][j], p[i], r[j]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float* to = out + ((long long)blockIdx.y * Tile + top + 16 * i + g) * width + blockIdx.x * Tile + side + 8 * j + 2 * q;
            *reinterpret_cast<float2*>(to) = make_float2(c[i][j][0], c[i][j][1]);
            *reinterpret_cast<float2*>(to + 8ll * width) = make_float2(c[i][j][2], c[i][j][3]);
        }
    }
}
