// jacobi_tiles: one cell to a thread, sums in double precision rounded at each sweep; grid 16896, block 1024.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void jacobi_tiles_ref(float* out, const float* in, unsigned sweeps)
{
    __shared__ float now[1156];
    const unsigned y = threadIdx.x / 32u + 1u, x = threadIdx.x % 32u + 1u;
    for (unsigned at = threadIdx.x; at < 1156u; at += 1024u) {
        now[at] = in[blockIdx.x * 1156u + at];
    }
    for (unsigned sweep = 0; sweep < sweeps; ++sweep) {
        __syncthreads();
        const double sum = static_cast<double>(now[y * 34u + x - 1u]) + now[y * 34u + x + 1u] + now[(y - 1u) * 34u + x] + now[(y + 1u) * 34u + x];
        __syncthreads();
        now[y * 34u + x] = static_cast<float>(0.25 * sum);
    }
    out[blockIdx.x * 1024u + threadIdx.x] = now[y * 34u + x];
}
