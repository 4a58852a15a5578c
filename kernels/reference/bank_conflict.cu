// bank_conflict: the sums from global memory in double precision; grid 1056, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void bank_conflict_ref(float* out, const float* in)
{
    const float* table = in + blockIdx.x * 256u;
    double sum = 0.0;
    for (unsigned k = 0; k < 512u; ++k) {
        sum += static_cast<double>(table[(threadIdx.x * 8u + k) % 256u]);
    }
    out[blockIdx.x * 256u + threadIdx.x] = static_cast<float>(sum);
}
