// gemv_i8_before: int8 weights times a float vector, a warp to a row, a byte to a lane and step.
__global__ void __launch_bounds__(256) gemv_i8_before(float* out, const signed char* __restrict__ weight, const float* __restrict__ x,
                                                      const float* __restrict__ scale, int columns)
{
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
    const signed char* w = weight + (long long)row * columns;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = lane; k < columns; k += 32) {
        sum += (float)w[k] * x[k];
    }
    for (int s = 16; s > 0; s /= 2) {
        sum += __shfl_xor_sync(~0u, sum, s);
    }
    if (lane == 0) {
        out[row] = sum * scale[row];
    }
}
