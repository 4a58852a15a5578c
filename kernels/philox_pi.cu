// philox_pi: counts random points inside a quarter circle; points come from Philox 4x32-10, two for each counter.
//
// Shows:      a generator of random numbers in registers: wide integer multiplications, exclusive ors, no memory.
// Limiter:    the integer and logic pipe: exclusive ors, shifts, additions and comparisons run at half the rate of issue, 60 cycles
//             for a counter, where issue takes 65 slots and the wide multiplications of the FMA pipe 36 cycles.
// Lever:      fewer rounds: Philox 4x32-7 passes the same tests.
// Shape:      threads = 270336, 256 counters each, two points to a counter.
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* inside [threads], const uint2* key [1056], unsigned counters
// Result:     inside[t] == points of thread t's counters with x * x + y * y < 1

__device__ unsigned mixed(unsigned long long product, unsigned word, unsigned key)
{
    return static_cast<unsigned>(product >> 32) ^ word ^ key;  // limiter
}

__device__ uint4 philox(uint4 counter, uint2 key)
{
#pragma unroll
    for (unsigned round = 0; round < 10u; ++round) {
        const unsigned long long first = 0xd2511f53ull * counter.x;
        const unsigned long long second = 0xcd9e8d57ull * counter.z;
        counter = make_uint4(mixed(second, counter.y, key.x), static_cast<unsigned>(second), mixed(first, counter.w, key.y),
                             static_cast<unsigned>(first));
        key = make_uint2(key.x + 0x9e3779b9u, key.y + 0xbb67ae85u);
    }
    return counter;
}

__global__ void philox_pi(unsigned* inside, const uint2* key, unsigned counters)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0u;
    for (unsigned at = 0; at < counters; ++at) {
        const uint4 bits = philox(make_uint4(at, thread, 0u, 0u), key[blockIdx.x]);
        const float scale = 0x1p-24f;
        const float x = (bits.x >> 8) * scale, y = (bits.y >> 8) * scale;
        const float z = (bits.z >> 8) * scale, w = (bits.w >> 8) * scale;
        count += x * x + y * y < 1.0f ? 1u : 0u;
        count += z * z + w * w < 1.0f ? 1u : 0u;
    }
    inside[thread] = count;
}
