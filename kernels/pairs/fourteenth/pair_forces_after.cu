// pair_forces_after: forces of the neighbours of each atom, positions read by a list.
// The list stands neighbour by neighbour, an atom to a lane; the box is one, and the nearest image counts.
extern "C" __global__ void __launch_bounds__(256) pair_forces_after(float* __restrict__ out, const float4* __restrict__ pos, const unsigned int* __restrict__ list, int atoms, int near, float cut)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) {
        return;
    }
    const float4 own = pos[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int k = 0; k < near; ++k) {
        const unsigned int j = list[k * atoms + i];
        const float4 other = pos[j];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
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
