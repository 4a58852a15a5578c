// pool_bwd_before: gradient of the largest of 3 x 3 with steps of two, a thread to an output, added where its largest was.
struct Planes {
    int width, height;
    __device__ __forceinline__ long long at(int plane, int y, int x) const { return ((long long)plane * height + y) * width + x; }
};

extern "C" __global__ void __launch_bounds__(256) pool_bwd_before(float* __restrict__ back, const float* __restrict__ gradient, const unsigned* __restrict__ which, int planes, int width, int height, int wide, int high)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= wide || y >= high) {
        return;
    }
    const Planes in{width, height}, out{wide, high};
    for (int plane = blockIdx.z; plane < planes; plane += gridDim.z) {
        const unsigned w = which[out.at(plane, y, x)];
        atomicAdd(back + in.at(plane, 2 * y + w / 3, 2 * x + w % 3), gradient[out.at(plane, y, x)]);
    }
}
