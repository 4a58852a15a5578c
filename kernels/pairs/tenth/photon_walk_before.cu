// photon_walk_before: photons scattered in a slab until they leave it or are absorbed, a thread to every so many, one after another.
struct Photon {
    unsigned state;
    float depth, slope, length;
    __device__ __forceinline__ Photon(int i) : state(i * 2654435761u + 97u), depth(0.0f), slope(1.0f), length(0.0f) { number(); }
    __device__ __forceinline__ float number()
    {
        state = state * 747796405u + 2891336453u;
        const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
        return (((word >> 22) ^ word) >> 8) * 0x1p-24f + 0x1p-25f;
    }
    __device__ __forceinline__ bool flight(float thickness, float absorbed)
    {
        const float way = -__logf(number());
        depth += slope * way;
        length += way;
        if (depth < 0.0f || depth > thickness || number() < absorbed) {
            return false;
        }
        slope = 2.0f * number() - 1.0f;
        return true;
    }
};

extern "C" __global__ void __launch_bounds__(256) photon_walk_before(float* __restrict__ out, int photons, float thickness, float absorbed)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < photons; i += gridDim.x * 256) {
        Photon photon(i);
        while (photon.flight(thickness, absorbed)) {
        }
        out[i] = photon.length;
    }
}
