// moments_then_orbits: the mean square of 1024 readings for each of 270336 sensors, then 2048 steps of a map that it starts.
//
// Shows:      two phases in one launch: the first streams 1.1 GB from device memory, the second stays in registers. All blocks are
//             resident at once, so that the whole chip is in one phase and then in the other.
// Limiter:    each phase has its own: device memory, then the FMA pipe. Neither is busy on average over the launch.
// Lever:      let the phases overlap: blocks that begin at different times, or roles of warps that stream ahead.
// Shape:      sensors = 270336, readings = 1024, reading r of sensor s at readings[r * sensors + s].
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [sensors], const float* readings [1024 * sensors], unsigned sensors, unsigned count, unsigned steps
// Result:     out[s] == x after `steps` steps of x = x + 0.001 * (m - x * x) for each of four starts 0.25, 0.5, 0.75, 1, summed,
//             with m the mean square of the readings of s

__global__ void __launch_bounds__(256, 8)
    moments_then_orbits(float* __restrict__ out, const float* __restrict__ readings, unsigned sensors, unsigned count, unsigned steps)
{
    const unsigned sensor = blockIdx.x * 256u + threadIdx.x;
    float square = 0.0f;
#pragma unroll 8
    for (unsigned r = 0; r < count; ++r) {
        const float value = readings[r * sensors + sensor];  // limiter
        square += value * value;
    }
    const float mean = square / static_cast<float>(count) * 0.001f;
    float x[4] = {0.25f, 0.5f, 0.75f, 1.0f};
#pragma unroll 4
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned k = 0; k < 4u; ++k) {
            x[k] = fmaf(x[k], fmaf(x[k], -0.001f, 1.0f), mean);
        }
    }
    out[sensor] = x[0] + x[1] + x[2] + x[3];
}
