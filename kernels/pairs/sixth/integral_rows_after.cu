// integral_rows_after: running sums along the rows of images, a warp to a row.
extern "C" __global__ void __launch_bounds__(256) integral_rows_after(float* out, const float* __restrict__ in, int rows, int width)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const float4* from = reinterpret_cast<const float4*>(in + (long long)row * width);
    float4* to = reinterpret_cast<float4*>(out + (long long)row * width);
    float carry = 0.0f;
#pragma unroll 4
    for (int q = lane; q < width / 4; q += 32) {
        float4 v = from[q];
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        float sum = v.w;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float lower = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? lower : 0.0f;
        }
        const float base = carry + sum - v.w;
        to[q] = make_float4(v.x + base, v.y + base, v.z + base, v.w + base);
        carry += __shfl_sync(~0u, sum, 31);
    }
}
