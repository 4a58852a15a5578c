// spline_units_after: a unit of sixteen shifted activations to each value; which one, the call says.
__device__ float rectify(float v) { return fmaxf(v, 0.0f); }
__device__ float leak(float v) { return v > 0.0f ? v : 0.1f * v; }
__device__ float square(float v) { const float r = fmaxf(v, 0.0f); return r * r; }
__device__ float clip(float v) { return fminf(fmaxf(v, 0.0f), 6.0f); }

template <int KIND> __device__ float units(float x, const float* __restrict__ weight, const float* __restrict__ shift)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        const float v = x - shift[k];
        sum += weight[k] * (KIND == 0 ? rectify(v) : KIND == 1 ? leak(v) : KIND == 2 ? square(v) : clip(v));
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(256) spline_units_after(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, const float* __restrict__ shift, int count, int kind)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const float x = in[i];
    switch (kind) {
    case 0: out[i] = units<0>(x, weight, shift); break;
    case 1: out[i] = units<1>(x, weight, shift); break;
    case 2: out[i] = units<2>(x, weight, shift); break;
    default: out[i] = units<3>(x, weight, shift); break;
    }
}
