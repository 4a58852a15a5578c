// resample_draw_before: draws of particles by their cumulated weights, for many particle filters of 2048 particles.
#define PARTICLES 2048

// A draw a thread.
extern "C" __global__ void __launch_bounds__(256) resample_draw_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ cumulated, const float* __restrict__ uniform, int draws)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= draws) {
        return;
    }
    const unsigned int* c = cumulated + i / PARTICLES * PARTICLES;
    const unsigned int target = c[0] + (unsigned int)(uniform[i] * (float)(c[PARTICLES] - c[0]));
    unsigned int found = PARTICLES - 1;
    for (int j = 0; j < PARTICLES; ++j) {
        if (c[j + 1] > target) {
            found = j;
            break;
        }
    }
    out[i] = found;
}
