// nbody: acceleration of 67584 bodies by 16384 sources, one body to a thread, sources through shared memory in tiles of 256.
//
// Shows:      fifteen instructions of the FMA pipe and a reciprocal square root for each pair, one broadcast load.
// Limiter:    instruction issue: 18 slots a pair, 15 of them for the FMA pipe, one each for the load, the reciprocal root and the
//             test whether its argument is subnormal.
// Lever:      leave out the care for subnormal arguments, which 0.01 excludes (-ftz=true: three of 18 slots), and two bodies to a
//             thread, which share the load.
// Shape:      bodies = 67584, sources = 16384, each a float4 of place and mass.
// Launch:     grid 264 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float4* acceleration [bodies], const float4* body [bodies], const float4* source [sources], unsigned sources
// Result:     acceleration[i].xyz == sum over j of mass[j] * d / (|d|^2 + 0.01)^1.5, d = source[j].xyz - body[i].xyz; .w == 0

__global__ void nbody(float4* __restrict__ acceleration, const float4* __restrict__ body, const float4* __restrict__ source,
                      unsigned sources)
{
    __shared__ float4 tile[256];
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = body[index];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (unsigned first = 0; first < sources; first += 256u) {
        tile[threadIdx.x] = source[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (unsigned j = 0; j < 256u; ++j) {
            const float4 other = tile[j];
            const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);  // limiter
            const float weight = other.w * inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
            az += weight * dz;
        }
        __syncthreads();
    }
    acceleration[index] = make_float4(ax, ay, az, 0.0f);
}
