// depth_splat_after: depths of points projected to an image, the nearest kept.
// Depths are not negative, so that they are in the order of their bits.
extern "C" __global__ void __launch_bounds__(256) depth_splat_after(float* out, const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z, int points, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < points) {
        const int u = (int)(x[i] * width), v = (int)(y[i] * height);
        atomicMin((int*)&out[v * width + u], __float_as_int(z[i]));
    }
}
