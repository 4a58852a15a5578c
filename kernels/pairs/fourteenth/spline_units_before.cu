// spline_units_before: a unit of sixteen shifted activations to each value; which one, the call says.
__device__ float rectify(float v) { return fmaxf(v, 0.0f); }
__device__ float leak(float v) { return v > 0.0f ? v : 0.1f * v; }
__device__ float square(float v) { const float r = fmaxf(v, 0.0f); return r * r; }
__device__ float clip(float v) { return fminf(fmaxf(v, 0.0f), 6.0f); }

typedef float (*Activation)(float);
__device__ Activation const ACTIVATIONS[4] = {rectify, leak, square, clip};

extern "C" __global__ void __launch_bounds__(256) spline_units_before(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, const float* __restrict__ shift, int count, int kind)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Activation act = ACTIVATIONS[kind];
    const float x = in[i];
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k) {
        sum += weight[k] * act(x - shift[k]);
    }
    out[i] = sum;
}
