// fp32_peak: eight independent chains of fused multiply-adds per thread.
//
// Shows:      a kernel limited by arithmetic: the FMA pipe is busy nearly every cycle and memory is idle.
// Limiter:    FMA pipe (compute throughput, math pipe throttle stalls).
// Shape:      count = 270336 floats.
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [count], const float* in [count], float a, float b   (a = 0.999, b = 0.001)
// Result:     v[j] = in[i] + j for j < 8; 4096 times v[j] = fma(v[j], a, b); out[i] == v[0] + v[1] + ... + v[7]

__global__ void fp32_peak(float* __restrict__ out, const float* __restrict__ in, float a, float b)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const float start = in[index];
    float value[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        value[j] = start + static_cast<float>(j);
    }
#pragma unroll 16
    for (unsigned step = 0; step < 4096u; ++step) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            value[j] = fmaf(value[j], a, b);  // limiter
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        sum += value[j];
    }
    out[index] = sum;
}
