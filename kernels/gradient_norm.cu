// gradient_norm: squared norm of a gradient in double precision; each warp adds its 32 squares to one number in memory.
//
// Shows:      two million atomic additions to a single address.
// Limiter:    the atomic unit of one slice of L2: one address takes one addition after the other.
// Lever:      one addition per block (sum in shared memory first) and several elements per thread.
// Shape:      count = 67108864 floats (256 MiB); out must be zero before the launch.
// Launch:     grid 262144 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  double* out [1], const float* in [count]
// Result:     out[0] == sum of in[i] * in[i]

__global__ void gradient_norm(double* __restrict__ out, const float* __restrict__ in)
{
    const float element = in[blockIdx.x * blockDim.x + threadIdx.x];
    double sum = static_cast<double>(element) * static_cast<double>(element);
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32u == 0u) {
        atomicAdd(out, sum);  // limiter
    }
}
