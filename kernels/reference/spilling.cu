// spilling: the 16 steps in double precision, values in local memory; grid threads / 256, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void spilling_ref(float* out, const float* in, unsigned threads)
{
    const unsigned thread = blockIdx.x * 256u + threadIdx.x;
    double value[64];
    for (unsigned j = 0; j < 64u; ++j) {
        value[j] = static_cast<double>(in[j * threads + thread]);
    }
    for (unsigned step = 0; step < 16u; ++step) {
        for (unsigned j = 0; j < 64u; ++j) {
            value[j] = 0.5 * (value[j] + value[(j + 7u) % 64u]);
        }
    }
    for (unsigned j = 0; j < 64u; ++j) {
        out[j * threads + thread] = static_cast<float>(value[j]);
    }
}
