// field_powers_before: x y^16 modulo 2^256 - 38, which stands for 2^255 - 19, not reduced fully.
typedef unsigned int u32;
typedef unsigned long long u64;

// 256 bits times 256 bits, word by word.
__device__ __forceinline__ void product(u32 r[16], const u32 a[8], const u32 b[8])
{
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        r[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        u32 carry = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const u64 t = (u64)a[i] * b[j] + r[i + j] + carry;
            r[i + j] = (u32)t;
            carry = (u32)(t >> 32);
        }
        r[i + 8] = carry;
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
extern "C" __global__ void __launch_bounds__(128) field_powers_before(u32* __restrict__ out, const u32* __restrict__ x, const u32* __restrict__ y, int count)
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
