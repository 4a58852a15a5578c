// shade_before: hits of rays shaded by the function of their material, in the order of the rays.
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

extern "C" __global__ void __launch_bounds__(256) shade_before(float* colour, const float* __restrict__ hit, const unsigned* __restrict__ material)
{
    const int t = threadIdx.x;
    const long long base = (long long)blockIdx.x * 1024;
    for (int k = 0; k < 4; ++k) {
        const long long i = base + k * 256 + t;
        colour[i] = shade(material[i], hit[i]);
    }
}
