// field_powers_after: x y^16 modulo 2^256 - 38, which stands for 2^255 - 19, not reduced fully.
typedef unsigned int u32;
typedef unsigned long long u64;

// 128 bits times 128 bits, word by word.
__device__ __forceinline__ void half_product(u32 r[8], const u32 a[4], const u32 b[4])
{
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        r[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        u32 carry = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const u64 t = (u64)a[i] * b[j] + r[i + j] + carry;
            r[i + j] = (u32)t;
            carry = (u32)(t >> 32);
        }
        r[i + 4] = carry;
    }
}

// 256 bits times 256 bits by Karatsuba: three products of halves instead of four.
__device__ __forceinline__ void product(u32 r[16], const u32 a[8], const u32 b[8])
{
    u32 a_sum[4], b_sum[4], middle[9];
    u64 t = 0, s = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        t += (u64)a[i] + a[i + 4];
        s += (u64)b[i] + b[i + 4];
        a_sum[i] = (u32)t;
        b_sum[i] = (u32)s;
        t >>= 32;
        s >>= 32;
    }
    const u32 a_mask = 0 - (u32)t, b_mask = 0 - (u32)s;
    half_product(middle, a_sum, b_sum);
    u64 c = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        c += (u64)middle[i + 4] + (a_mask & b_sum[i]) + (b_mask & a_sum[i]);
        middle[i + 4] = (u32)c;
        c >>= 32;
    }
    middle[8] = (u32)c + (a_mask & b_mask & 1);
    half_product(r, a, b);
    half_product(r + 8, a + 4, b + 4);
    long long d = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        d += (long long)middle[i] - r[i] - r[i + 8];
        middle[i] = (u32)d;
        d >>= 32;
    }
    middle[8] += (u32)d;
    c = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        c += (u64)r[i + 4] + middle[i];
        r[i + 4] = (u32)c;
        c >>= 32;
    }
#pragma unroll
    for (int i = 13; i < 16; ++i) {
        c += r[i];
        r[i] = (u32)c;
        c >>= 32;
    }
}

// The upper 256 bits come back 38 times.
__device__ __forceinline__ void fold(u32 x[8], const u32 r[16])
{
    u32 carry = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const u64 t = (u64)r[i + 8] * 38 + r[i] + carry;
        x[i] = (u32)t;
        carry = (u32)(t >> 32);
    }
#pragma unroll
    for (int round = 0; round < 2; ++round) {
        u64 t = (u64)carry * 38;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            t += x[i];
            x[i] = (u32)t;
            t >>= 32;
        }
        carry = (u32)t;
    }
}

// An element a thread; word w of an element lies at [w][element].
extern "C" __global__ void __launch_bounds__(128) field_powers_after(u32* __restrict__ out, const u32* __restrict__ x, const u32* __restrict__ y, int count)
{
    const int e = blockIdx.x * 128 + threadIdx.x;
    if (e >= count) {
        return;
    }
    u32 a[8], b[8], r[16];
#pragma unroll
    for (int w = 0; w < 8; ++w) {
        a[w] = x[w * count + e];
        b[w] = y[w * count + e];
    }
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        product(r, a, b);
        fold(a, r);
    }
#pragma unroll
    for (int w = 0; w < 8; ++w) {
        out[w * count + e] = a[w];
    }
}
