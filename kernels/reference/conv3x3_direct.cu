// conv3x3_direct: one output value to a thread, in double precision; grid 49 x 64 x 8, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void conv3x3_direct_ref(float* out, const float* in, const float* weight)
{
    const unsigned pixel = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned at = 0; at < 576u; ++at) {
        const unsigned c = at / 9u, i = at % 9u / 3u, j = at % 3u;
        const unsigned y = pixel / 112u + i, x = pixel % 112u + j;
        const float value = in[((blockIdx.z * 64u + c) * 114u + y) * 114u + x];
        sum += static_cast<double>(value) * static_cast<double>(weight[blockIdx.y * 576u + at]);
    }
    out[(blockIdx.z * 64u + blockIdx.y) * 12544u + pixel] = static_cast<float>(sum);
}
