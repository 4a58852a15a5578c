// pair_forces_before: forces of the neighbours of each atom, positions read by a list.
// The list stands neighbour by neighbour, an atom to a lane; the box is one, and the nearest image counts.
extern "C" __global__ void __launch_bounds__(256) pair_forces_before(float* __restrict__ out, const float* __restrict__ pos, const unsigned int* __restrict__ list, int atoms, int near, float cut)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) {
        return;
    }
    const float x = pos[i], y = pos[atoms + i], z = pos[2 * atoms + i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int k = 0; k < near; ++k) {
        const unsigned int j = list[k * atoms + i];
        float dx = x - pos[j], dy = y - pos[atoms + j], dz = z - pos[2 * atoms + j];
        dx -= rintf(dx);
        dy -= rintf(dy);
        dz -= rintf(dz);
        const float s = dx * dx + dy * dy + dz * dz;
        const float f = s < cut ? cut - s : 0.0f;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
    out[i] = fx;
    out[atoms + i] = fy;
    out[2 * atoms + i] = fz;
}
