// low_occupancy_smem: reverses segments of 40960 floats through shared memory, one small block per multiprocessor.
//
// Shows:      occupancy limited by shared memory: 160 KiB per block leaves room for one block of 4 warps.
// Limiter:    latency of global memory that 4 warps cannot hide (6 % theoretical occupancy).
// Shape:      segments = 1320 of 40960 floats (206 MiB in, 206 MiB out).
// Launch:     grid 1320 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 163840 bytes.
// Arguments:  float* out [segments * 40960], const float* in [segments * 40960]
// Result:     out[s * 40960 + i] == in[s * 40960 + 40959 - i]

__global__ void low_occupancy_smem(float* __restrict__ out, const float* __restrict__ in)
{
    extern __shared__ float segment[];
    const unsigned first = blockIdx.x * 40960u;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 40960u; i += 128u) {
        segment[i] = in[first + i];  // limiter
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < 40960u; i += 128u) {
        out[first + i] = segment[40959u - i];
    }
}
