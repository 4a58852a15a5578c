// l2_resident: sums in double precision; grid 1056, block 256, as the kernel.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void l2_resident_ref(float* out, const float* in, unsigned count4)
{
    const unsigned thread = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned pass = 0; pass < 124u; ++pass) {
        const unsigned vector = (thread + pass * 270336u) % count4;
        for (unsigned lane = 0; lane < 4u; ++lane) {
            sum += static_cast<double>(in[4u * vector + lane]);
        }
    }
    out[thread] = static_cast<float>(sum);
}
