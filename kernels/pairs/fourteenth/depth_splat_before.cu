// depth_splat_before: depths of points projected to an image, the nearest kept.
__device__ void nearer(float* at, float depth)
{
    int old = __float_as_int(*at);
    while (__int_as_float(old) > depth) {
        const int seen = old;
        old = atomicCAS((int*)at, seen, __float_as_int(depth));
        if (old == seen) {
            break;
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) depth_splat_before(float* out, const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z, int points, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < points) {
        const int u = (int)(x[i] * width), v = (int)(y[i] * height);
        nearer(&out[v * width + u], z[i]);
    }
}
