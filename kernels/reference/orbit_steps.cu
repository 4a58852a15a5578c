// orbit_steps: one satellite to a thread, the force as its formula has it; grid 2112, block 128.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void orbit_steps_ref(double* place, double* speed, unsigned satellites, unsigned steps, double step,
                                double pull, double flatness)
{
    const unsigned own = blockIdx.x * 128u + threadIdx.x;
    for (unsigned i = 0; i < steps; ++i) {
        double at[3], square = 0.0;
        for (unsigned axis = 0; axis < 3u; ++axis) {
            at[axis] = place[axis * satellites + own] + step * speed[axis * satellites + own];
            square += at[axis] * at[axis];
        }
        for (unsigned axis = 0; axis < 3u; ++axis) {
            const double bulge = flatness / square * ((axis == 2u ? 3.0 : 1.0) - 5.0 * at[2] * at[2] / square);
            place[axis * satellites + own] = at[axis];
            speed[axis * satellites + own] -= step * pull * at[axis] / (square * sqrt(square)) * (1.0 + bulge);
        }
    }
}
