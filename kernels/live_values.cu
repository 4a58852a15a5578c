// live_values: the kernel of spilling.cu without a launch bound, so that `-maxrregcount` says how many registers a thread has.
//
// Shows:      what the first row of the page of `spilling` proposes, tried: the same 64 live values in 32, 64, 96 and 128 registers.
// Limiter:    with 32 registers local memory; with enough of them device memory.
// Shape:      threads = 540672, 64 floats each (132 MiB in, 132 MiB out).
// Launch:     grid 1056 x 1 x 1, block 512 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [64 * threads], const float* in [64 * threads], unsigned threads
// Result:     that of spilling.cu

__global__ void live_values(float* __restrict__ out, const float* __restrict__ in, unsigned threads)
{
    const unsigned thread = blockIdx.x * 512u + threadIdx.x;
    float value[64];
#pragma unroll
    for (unsigned j = 0; j < 64u; ++j) {
        value[j] = in[j * threads + thread];
    }
#pragma unroll 1
    for (unsigned step = 0; step < 16u; ++step) {
#pragma unroll
        for (unsigned j = 0; j < 64u; ++j) {
            value[j] = 0.5f * (value[j] + value[(j + 7u) & 63u]);
        }
    }
#pragma unroll
    for (unsigned j = 0; j < 64u; ++j) {
        out[j * threads + thread] = value[j];
    }
}
