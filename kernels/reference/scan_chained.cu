// scan_chained: one block in two passes, 16384 elements and two tiles to a thread; grid 1, block 1024.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void scan_chained_ref(unsigned* out, const unsigned* in, unsigned long long* state, unsigned* ticket)
{
    __shared__ unsigned partial[1024];
    unsigned sum = 0u;
    for (unsigned i = 0; i < 16384u; ++i) {
        sum += in[threadIdx.x * 16384u + i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    unsigned running = 0u;
    for (unsigned thread = 0; thread < threadIdx.x; ++thread) {
        running += partial[thread];
    }
    for (unsigned i = 0; i < 16384u; ++i) {
        const unsigned index = threadIdx.x * 16384u + i;
        running += in[index];
        out[index] = running;
        if (index % 8192u == 8191u) {
            state[index / 8192u] = (1ull << 32) + running;
        }
    }
    if (threadIdx.x == 0u) {
        ticket[0] = 2048u;
    }
}
