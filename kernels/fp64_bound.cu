// fp64_bound: four independent chains of double-precision fused multiply-adds per thread.
//
// Shows:      the FP64 pipe as the limiter while the FP32 pipes are idle.
// Limiter:    FP64 pipe.
// Shape:      count = 270336 doubles.
// Launch:     grid 1056 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  double* out [count], const double* in [count], double a, double b   (a = 0.999, b = 0.001)
// Result:     v[j] = in[i] + j for j < 4; 1024 times v[j] = fma(v[j], a, b); out[i] == v[0] + v[1] + v[2] + v[3]

__global__ void fp64_bound(double* __restrict__ out, const double* __restrict__ in, double a, double b)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const double start = in[index];
    double value[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        value[j] = start + static_cast<double>(j);
    }
#pragma unroll 8
    for (unsigned step = 0; step < 1024u; ++step) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            value[j] = fma(value[j], a, b);  // limiter
        }
    }
    out[index] = ((value[0] + value[1]) + value[2]) + value[3];
}
