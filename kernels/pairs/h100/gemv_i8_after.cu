// gemv_i8_after: int8 weights times a float vector, a warp to a row, sixteen bytes to a lane and step.
__global__ void __launch_bounds__(256) gemv_i8_after(float* out, const signed char* __restrict__ weight, const float* __restrict__ x,
                                                     const float* __restrict__ scale, int columns)
{
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
    const int4* w = reinterpret_cast<const int4*>(weight + (long long)row * columns);
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float sum = 0.0f;
#pragma unroll 2
    for (int k = lane; k < columns / 16; k += 32) {
        const int4 packed = w[k];
        const int words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float4 v = x4[4 * k + q];
            sum += (float)(signed char)(words[q]) * v.x;
            sum += (float)(signed char)(words[q] >> 8) * v.y;
            sum += (float)(signed char)(words[q] >> 16) * v.z;
            sum += (float)(signed char)(words[q] >> 24) * v.w;
        }
    }
    for (int s = 16; s > 0; s /= 2) {
        sum += __shfl_xor_sync(~0u, sum, s);
    }
    if (lane == 0) {
        out[row] = sum * scale[row];
    }
}
