// delta_unpack_before: a column of integers stored as differences of a byte, a first value for each chunk of 256.
// A thread to a chunk.
extern "C" __global__ void __launch_bounds__(128) delta_unpack_before(unsigned int* __restrict__ out, const unsigned char* __restrict__ delta, const unsigned int* __restrict__ first, int chunks)
{
    const int chunk = blockIdx.x * 128 + threadIdx.x;
    if (chunk >= chunks) {
        return;
    }
    unsigned int value = first[chunk];
    for (int i = 0; i < 256; ++i) {
        value += delta[chunk * 256 + i];
        out[chunk * 256 + i] = value;
    }
}
