// lbm_d2q9: one density to a thread, which reads all nine of its cell in double precision; grid 9 x 8192, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void lbm_d2q9_ref(float* out, const float* in, unsigned width, unsigned height, float rate)
{
    const unsigned cell = blockIdx.y * 256u + threadIdx.x, own = blockIdx.x;
    const int weight[3] = {1, 4, 1};
    double density = 0.0, ux = 0.0, uy = 0.0, value = 0.0;
    for (unsigned q = 0; q < 9u; ++q) {
        const int ex = static_cast<int>(q % 3u) - 1, ey = static_cast<int>(q / 3u) - 1;
        const unsigned x = (cell % width + width - ex) % width, y = (cell / width + height - ey) % height;
        const double f = in[(y * width + x) * 9u + q];
        density += f;
        ux += f * ex;
        uy += f * ey;
        value = q == own ? f : value;
    }
    ux /= density;
    uy /= density;
    const double along = (static_cast<int>(own % 3u) - 1) * ux + (static_cast<int>(own / 3u) - 1) * uy;
    const double rest = weight[own % 3u] * weight[own / 3u] / 36.0 * density *
                        (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
    out[cell * 9u + own] = static_cast<float>(value + rate * (rest - value));
}
