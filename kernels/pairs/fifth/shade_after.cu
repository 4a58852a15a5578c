// shade_after: hits of rays shaded by the function of their material, sorted by material within a block.
__device__ float shade(unsigned material, float x)
{
    float y = x;
    switch (material) {
    case 0: for (int i = 0; i < 24; ++i) { y = y * 0.9f + __sinf(y + x) * 0.1f; } break;
    case 1: for (int i = 0; i < 24; ++i) { y = __expf(-y * y) + 0.3f * x; } break;
    case 2: for (int i = 0; i < 24; ++i) { y = sqrtf(y * y + 0.7f * x) * 0.8f; } break;
    case 3: for (int i = 0; i < 24; ++i) { y = __fdividef(1.0f + x, 1.5f + y * y); } break;
    case 4: for (int i = 0; i < 24; ++i) { y = fabsf(y - floorf(y) - 0.5f) * 0.9f + x * y * 0.1f; } break;
    case 5: for (int i = 0; i < 24; ++i) { y = __log2f(1.0f + y * y) * 0.6f + x; } break;
    case 6: for (int i = 0; i < 24; ++i) { y = __cosf(y) * x + 0.2f * y; } break;
    default: for (int i = 0; i < 24; ++i) { y = fminf(y * y * 0.5f + x, 1.2f - 0.3f * y); } break;
    }
    return y;
}

extern "C" __global__ void __launch_bounds__(256) shade_after(float* colour, const float* __restrict__ hit, const unsigned* __restrict__ material)
{
    const int t = threadIdx.x;
    const long long base = (long long)blockIdx.x * 1024;
    __shared__ unsigned start[9], place[8], order[1024];
    if (t < 8) {
        place[t] = 0;
    }
    __syncthreads();
    unsigned kind[4], rank[4];
    for (int k = 0; k < 4; ++k) {
        kind[k] = material[base + k * 256 + t];
        rank[k] = atomicAdd(&place[kind[k]], 1u);
    }
    __syncthreads();
    if (t == 0) {
        start[0] = 0;
        for (int m = 0; m < 8; ++m) {
            start[m + 1] = start[m] + place[m];
        }
    }
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        order[start[kind[k]] + rank[k]] = (k * 256 + t) << 3 | kind[k];
    }
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        const unsigned e = order[k * 256 + t];
        colour[base + (e >> 3)] = shade(e & 7, hit[base + (e >> 3)]);
    }
}
