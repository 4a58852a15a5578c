// langevin_before: paths of a noisy particle, a generator of random numbers to each.
__device__ float noise(unsigned int* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (float)(int)*state * 4.656613e-10f;
}

extern "C" __global__ void __launch_bounds__(256) langevin_before(float* out, unsigned int* state, int paths, int steps, float drift, float width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) {
        return;
    }
    float x = 0.0f;
    for (int t = 0; t < steps; ++t) {
        x -= drift * x;
        x += width * (noise(&state[i]) + noise(&state[i]));
        if (t % 16 == 15) {
            out[t / 16 * paths + i] = x;
        }
    }
}
