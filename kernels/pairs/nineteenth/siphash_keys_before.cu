// siphash_keys_before: SipHash-2-4 of messages of 16 bytes under one key.
#define KEYS 1

typedef unsigned long long u64;

__device__ __forceinline__ u64 turn(u64 x, int by)
{
    return x << by | x >> (64 - by);
}

__device__ __forceinline__ void sip_round(u64& a, u64& b, u64& c, u64& d)
{
    a += b;
    b = turn(b, 13) ^ a;
    a = turn(a, 32);
    c += d;
    d = turn(d, 16) ^ c;
    a += d;
    d = turn(d, 21) ^ a;
    c += b;
    b = turn(b, 17) ^ c;
    c = turn(c, 32);
}

// A message a thread.
extern "C" __global__ void __launch_bounds__(256) siphash_keys_before(u64* __restrict__ out, const u64* __restrict__ message, u64 key0, u64 key1, int count)
{
    const int i = blockIdx.x * (256 * KEYS) + threadIdx.x;
    if (i + 256 * (KEYS - 1) >= count) {
        return;
    }
    u64 a[KEYS], b[KEYS], c[KEYS], d[KEYS];
#pragma unroll
    for (int j = 0; j < KEYS; ++j) {
        a[j] = key0 ^ 0x736f6d6570736575ull;
        b[j] = key1 ^ 0x646f72616e646f6dull;
        c[j] = key0 ^ 0x6c7967656e657261ull;
        d[j] = key1 ^ 0x7465646279746573ull;
    }
#pragma unroll
    for (int block = 0; block < 3; ++block) {
        u64 m[KEYS];
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            m[j] = block < 2 ? message[(long long)block * count + i + 256 * j] : 16ull << 56;
            d[j] ^= m[j];
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
#pragma unroll
            for (int j = 0; j < KEYS; ++j) {
                sip_round(a[j], b[j], c[j], d[j]);
            }
        }
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            a[j] ^= m[j];
        }
    }
#pragma unroll
    for (int j = 0; j < KEYS; ++j) {
        c[j] ^= 0xff;
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int j = 0; j < KEYS; ++j) {
            sip_round(a[j], b[j], c[j], d[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < KEYS; ++j) {
        out[i + 256 * j] = a[j] ^ b[j] ^ c[j] ^ d[j];
    }
}
