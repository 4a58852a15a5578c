// orbit_steps: 512 small steps of 270336 satellites around a flattened planet, in double precision, one satellite to a thread.
//
// Shows:      the integration of many small systems in registers: leapfrog, the force of a point mass and of its oblateness.
// Limiter:    FP64 pipe: 25 of a step's 36 instructions are its own, at half the rate of issue: 50 cycles of a scheduler for 36 slots;
//             16 warps to a scheduler hide the chain, and nothing else is asked for.
// Lever:      at the roof; only fewer evaluations of the force help, such as a scheme of higher order with longer steps.
// Shape:      satellites = 270336, steps = 512; lengths in radii of the planet.
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  double* place [3 * satellites], double* speed [3 * satellites], unsigned satellites, unsigned steps, double step,
//             double pull, double flatness (components one behind the other)
// Result:     steps times: place += step * speed, then speed += step * a(place), with r == |place|, s == flatness / r^2, t == 5 z^2 / r^2,
//             a == -pull / r^3 * (x (1 + s (1 - t)), y (1 + s (1 - t)), z (1 + s (3 - t)))

__global__ void __launch_bounds__(256)
    orbit_steps(double* __restrict__ place, double* __restrict__ speed, unsigned satellites, unsigned steps, double step, double pull,
                double flatness)
{
    const unsigned own = blockIdx.x * 256u + threadIdx.x;
    double x = place[own], y = place[satellites + own], z = place[2u * satellites + own];
    double vx = speed[own], vy = speed[satellites + own], vz = speed[2u * satellites + own];
    for (unsigned i = 0; i < steps; ++i) {
        x += step * vx;
        y += step * vy;
        z += step * vz;
        const double inverse = rsqrt(x * x + y * y + z * z);  // limiter
        const double square = inverse * inverse;
        const double kick = -step * pull * inverse * square;
        const double flat = flatness * square, tilt = 5.0 * z * z * square;
        const double level = kick + kick * flat * (1.0 - tilt);
        vx += level * x;
        vy += level * y;
        vz += (level + 2.0 * kick * flat) * z;
    }
    place[own] = x;
    place[satellites + own] = y;
    place[2u * satellites + own] = z;
    speed[own] = vx;
    speed[satellites + own] = vy;
    speed[2u * satellites + own] = vz;
}
