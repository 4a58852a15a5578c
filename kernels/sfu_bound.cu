// sfu_bound: sums reciprocal square roots taken by the special-function unit.
//
// Shows:      MUFU instructions, of which a multiprocessor finishes 16 per cycle, as the limiter.
// Limiter:    XU pipe (special functions).
// Shape:      count = 540672 floats, each at least 1.
// Launch:     grid 2112 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [count], const float* in [count]
// Result:     out[i] is near the sum over k < 512 of 1 / sqrt(in[i] + k)   (relative error below 1e-4)

__device__ __forceinline__ float reciprocal_root(float x)
{
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

__global__ void sfu_bound(float* __restrict__ out, const float* __restrict__ in)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[index];
    float sum = 0.0f;
#pragma unroll 8
    for (unsigned k = 0; k < 512u; ++k) {
        const float root = reciprocal_root(x);  // limiter
        sum += root;
        x += 1.0f;
    }
    out[index] = sum;
}
