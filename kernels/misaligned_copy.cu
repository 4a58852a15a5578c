// misaligned_copy: copies floats from an address one float past a sector boundary.
//
// Shows:      a coalesced but misaligned load: a warp's 128 bytes touch 5 sectors instead of 4.
// Limiter:    device memory; the excess sectors hit in L1, so the cost is small. A good audit names it and ranks it low.
// Shape:      count = 67108864 floats (256 MiB in, 256 MiB out).
// Launch:     grid 262144 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [count], const float* in [count + 1], unsigned count
// Result:     out[i] == in[i + 1]

__global__ void misaligned_copy(float* __restrict__ out, const float* __restrict__ in, unsigned count)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        const float value = in[index + 1u];  // limiter
        out[index] = value;
    }
}
