// tail_sample_before: normal numbers above a bound of their own each, drawn until one is, a thread to a number.
struct Draws {
    unsigned stream;
    __device__ __forceinline__ unsigned mixed(unsigned v) const
    {
        v ^= v >> 16;
        v *= 0x7feb352du;
        v ^= v >> 15;
        v *= 0x846ca68bu;
        return v ^ v >> 16;
    }
    __device__ __forceinline__ float normal(unsigned turn) const
    {
        const unsigned a = mixed(stream * 0x9e3779b9u + turn), b = mixed(a + 0x85ebca6bu);
        const float u = ((a >> 8) + 1) * 5.9604645e-8f, angle = (b >> 8) * 5.9604645e-8f;
        return sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * angle);
    }
};

extern "C" __global__ void __launch_bounds__(256) tail_sample_before(float* __restrict__ out, const float* __restrict__ bound, int count)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Draws draws = {(unsigned)i};
    const float least = bound[i];
    float z = draws.normal(0);
    for (unsigned turn = 1; z <= least; ++turn) {
        z = draws.normal(turn);
    }
    out[i] = z;
}
