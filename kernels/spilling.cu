// spilling: keeps 64 values alive in a kernel that may use 32 registers.
//
// Shows:      register spills: ptxas reports spill stores and loads, SASS has STL and LDL, and one line runs
//             nine in ten of them (the rest keep the loaded values until the loop and carry them to the stores).
// Limiter:    local-memory traffic through L1 (LSU pipe, long scoreboard stalls).
// Shape:      threads = 540672, 64 floats each (132 MiB in, 132 MiB out).
// Launch:     grid 1056 x 1 x 1, block 512 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [64 * threads], const float* in [64 * threads], unsigned threads
// Result:     per thread t, v[j] = in[j * threads + t]; 16 times, for j = 0..63 in order:
//             v[j] = 0.5 * (v[j] + v[(j + 7) mod 64]); then out[j * threads + t] == v[j]

__global__ void __launch_bounds__(512, 4) spilling(float* __restrict__ out, const float* __restrict__ in, unsigned threads)
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
            value[j] = 0.5f * (value[j] + value[(j + 7u) & 63u]);  // limiter
        }
    }
#pragma unroll
    for (unsigned j = 0; j < 64u; ++j) {
        out[j * threads + thread] = value[j];
    }
}
