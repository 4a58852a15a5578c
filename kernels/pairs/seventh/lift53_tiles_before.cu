// lift53_tiles_before: reversible 5/3 wavelet of tiles of 64 x 64, two levels by lifting in shared memory, a thread to a row and then to a
// column, rows of 64 words.
constexpr int Side = 64, Pitch = 64;

__device__ __forceinline__ void lift(int* line, int step, int length)
{
    int even = line[0], detail = 0;
#pragma unroll 1
    for (int i = 0; i < length; i += 2) {
        const int odd = line[(i + 1) * step];
        const int next = i + 2 < length ? line[(i + 2) * step] : even;
        const int fresh = odd - ((even + next) >> 1);
        if (i == 0) {
            detail = fresh;
        }
        line[(i + 1) * step] = fresh;
        line[i * step] = even + ((detail + fresh + 2) >> 2);
        detail = fresh;
        even = next;
    }
}

extern "C" __global__ void __launch_bounds__(64) lift53_tiles_before(int* __restrict__ out, const int* __restrict__ in, int width)
{
    __shared__ int tile[Side * Pitch];
    const int t = threadIdx.x;
    const long long corner = (long long)blockIdx.y * Side * width + blockIdx.x * Side + t;
#pragma unroll 8
    for (int y = 0; y < Side; ++y) {
        tile[y * Pitch + t] = in[corner + (long long)y * width];
    }
    __syncthreads();
    lift(tile + t * Pitch, 1, Side);
    __syncthreads();
    lift(tile + t, Pitch, Side);
    __syncthreads();
    if (t < Side / 2) {
        lift(tile + t * 2 * Pitch, 2, Side / 2);
    }
    __syncthreads();
    if (t < Side / 2) {
        lift(tile + t * 2, 2 * Pitch, Side / 2);
    }
    __syncthreads();
#pragma unroll 8
    for (int y = 0; y < Side; ++y) {
        out[corner + (long long)y * width] = tile[y * Pitch + t];
    }
}
