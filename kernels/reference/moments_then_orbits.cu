// moments_then_orbits: one sensor to a thread, in double precision; grid 1056, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void moments_then_orbits_ref(float* out, const float* readings, unsigned sensors, unsigned count, unsigned steps)
{
    const unsigned sensor = blockIdx.x * 256u + threadIdx.x;
    double square = 0.0;
    for (unsigned r = 0; r < count; ++r) {
        const double value = readings[r * sensors + sensor];
        square += value * value;
    }
    const double mean = square / count;
    double sum = 0.0;
    for (unsigned k = 1; k <= 4u; ++k) {
        double x = 0.25 * k;
        for (unsigned step = 0; step < steps; ++step) {
            x += 0.001 * (mean - x * x);
        }
        sum += x;
    }
    out[sensor] = static_cast<float>(sum);
}
