// permute5_ref: element [a, b, c, d, e] to [b, a, d, c, e], coordinates from the grid: (a and a sixth of c, e) x d x b; block 192.
// Grid [A * 6, 36, 96]: nothing clever, what both kernels of the pair are checked against.
__global__ void permute5_ref(float* out, const float* in, unsigned A, unsigned B, unsigned C, unsigned D, unsigned E)
{
    const unsigned a = blockIdx.x / 6u, b = blockIdx.z, d = blockIdx.y, part = blockIdx.x % 6u;
    const unsigned item = part * 192u + threadIdx.x;
    for (unsigned i = item; i < C * E; i += 6u * 192u) {
        const unsigned c = i / E, e = i - c * E;
        out[(((b * A + a) * D + d) * C + c) * E + e] = in[(((a * B + b) * C + c) * D + d) * E + e];
    }
}
