// in_any_sphere_before: whether a point lies in one of many spheres.
extern "C" __global__ void __launch_bounds__(256) in_any_sphere_before(unsigned int* __restrict__ out, const float* __restrict__ point, const float* __restrict__ sphere, int points, int spheres, float square)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) {
        return;
    }
    const float x = point[i], y = point[points + i], z = point[2 * points + i];
    unsigned int hit = 0;
    for (int s = 0; s < spheres; ++s) {
        const float dx = sphere[3 * s] - x, dy = sphere[3 * s + 1] - y, dz = sphere[3 * s + 2] - z;
        if (dx * dx + dy * dy + dz * dz < square) {
            hit = 1;
        }
    }
    out[i] = hit;
}
