// resample_draw_after: draws of particles by their cumulated weights, for many particle filters of 2048 particles.
#define PARTICLES 2048

// A draw a thread, by bisection.
extern "C" __global__ void __launch_bounds__(256) resample_draw_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ cumulated, const float* __restrict__ uniform, int draws)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= draws) {
        return;
    }
    const unsigned int* c = cumulated + i / PARTICLES * PARTICLES;
    const unsigned int target = c[0] + (unsigned int)(uniform[i] * (float)(c[PARTICLES] - c[0]));
    // The first j below the last particle with c[j + 1] > target, else the last particle.
    int low = 0, high = PARTICLES - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c[middle + 1] > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    out[i] = low;
}
