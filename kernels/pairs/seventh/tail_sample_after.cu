// tail_sample_after: normal numbers above a bound of their own each, drawn until one is, a warp to 1,024 numbers, a lane takes the next as
// soon as it has one.
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

extern "C" __global__ void __launch_bounds__(256) tail_sample_after(float* __restrict__ out, const float* __restrict__ bound, int count)
{
    const int lane = threadIdx.x % 32, warp = blockIdx.x * 8 + threadIdx.x / 32;
    const int last = min(count, (warp + 1) * 1024);
    const unsigned before = (1u << lane) - 1;
    int i = warp * 1024 + lane, next = warp * 1024 + 32;
    unsigned turn = 0;
    float least = i < last ? bound[i] : 0.0f;
    while (__any_sync(~0u, i < last)) {
        const float z = Draws{(unsigned)i}.normal(turn++);
        const bool done = i < last && z > least;
        const unsigned finished = __ballot_sync(~0u, done);
        if (done) {
            out[i] = z;
            i = next + __popc(finished & before);
            turn = 0;
            least = i < last ? bound[i] : 0.0f;
        }
        next += __popc(finished);
    }
}
