// block_match_before: best of 16 x 16 displacements for each block of 16 x 16 pixels of a frame, a thread to a displacement, a byte at a time.
struct Window {
    unsigned current[16][4];
    unsigned reference[32][8];
    unsigned best[8];
};

__device__ __forceinline__ unsigned difference(const Window& w, int dx, int dy)
{
    unsigned sum = 0;
    for (int y = 0; y < 16; ++y) {
        const unsigned char* a = reinterpret_cast<const unsigned char*>(w.current[y]);
        const unsigned char* b = reinterpret_cast<const unsigned char*>(w.reference[y + dy]) + dx;
#pragma unroll
        for (int x = 0; x < 16; ++x) {
            sum += abs((int)a[x] - (int)b[x]);
        }
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(256) block_match_before(unsigned* __restrict__ out, const unsigned* __restrict__ current, const unsigned* __restrict__ reference, int pitch, int reference_pitch)
{
    __shared__ Window w;
    const int dx = threadIdx.x, dy = threadIdx.y, t = dy * 16 + dx;
    if (t < 64) {
        w.current[t / 4][t % 4] = current[(blockIdx.y * 16 + t / 4) * pitch + blockIdx.x * 4 + t % 4];
    }
    w.reference[t / 8][t % 8] = reference[(blockIdx.y * 16 + t / 8) * reference_pitch + blockIdx.x * 4 + t % 8];
    __syncthreads();
    unsigned best = __reduce_min_sync(~0u, difference(w, dx, dy) << 8 | t);
    if (t % 32 == 0) {
        w.best[t / 32] = best;
    }
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; ++k) {
            best = min(best, w.best[k]);
        }
        out[blockIdx.y * gridDim.x + blockIdx.x] = best;
    }
}
