// lbm_d2q9: one step of a lattice Boltzmann flow in two dimensions, nine speeds, relaxation to one rate; the nine densities of a cell
// side by side in memory, periodic edges.
//
// Shows:      an array of structs of 36 bytes: each of nine loads and nine stores of a warp is spread over 32 sectors, for 4 bytes each.
// Limiter:    uncoalesced access, of the stores above all: a warp writes 288 parts of sectors where 36 sectors hold them, and nothing
//             puts them together before L2. With the 108 sectors and more that its loads bring (they find most of theirs in L1
//             again), at a sector a clock for some hundred slices, that is four times what device memory takes for 72 bytes a cell.
// Lever:      an array for each speed, so that a warp's store is one line.
// Shape:      width = 2048, height = 1024 cells of nine floats (72 MiB in, 72 MiB out).
// Launch:     grid 8 x 1024 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [height * width * 9], const float* in [height * width * 9], unsigned width, unsigned height, float rate
// Result:     with f[q] == in[y - ey][x - ex][q], e == (q % 3 - 1, q / 3 - 1), density and velocity u of the nine f: out[y][x][q] ==
//             f[q] + rate * (w[q] * density * (1 + 3 e·u + 4.5 (e·u)^2 - 1.5 u·u) - f[q]), w == 4/9, 1/9 or 1/36

__global__ void __launch_bounds__(256)
    lbm_d2q9(float* __restrict__ out, const float* __restrict__ in, unsigned width, unsigned height, float rate)
{
    const unsigned x = blockIdx.x * 256u + threadIdx.x, y = blockIdx.y;
    const unsigned rows[3] = {y + 1u == height ? 0u : y + 1u, y, y == 0u ? height - 1u : y - 1u};
    const unsigned columns[3] = {x + 1u == width ? 0u : x + 1u, x, x == 0u ? width - 1u : x - 1u};
    float f[9], density = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (unsigned q = 0; q < 9u; ++q) {
        f[q] = in[(rows[q / 3u] * width + columns[q % 3u]) * 9u + q];
        density += f[q];
        ux += f[q] * (q % 3u - 1.0f);
        uy += f[q] * (q / 3u - 1.0f);
    }
    ux /= density;
    uy /= density;
    const float slower = 1.0f - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (unsigned q = 0; q < 9u; ++q) {
        const float along = 3.0f * ((q % 3u - 1.0f) * ux + (q / 3u - 1.0f) * uy);
        const float weight = (q % 3u == 1u ? 2.0f / 3.0f : 1.0f / 6.0f) * (q / 3u == 1u ? 2.0f / 3.0f : 1.0f / 6.0f);
        const float rest = weight * density * (slower + along + 0.5f * along * along);
        out[(y * width + x) * 9u + q] = f[q] + rate * (rest - f[q]);  // limiter
    }
}
