// ising_sweep_before: half a Metropolis sweep of the Ising model on a torus, the sites of one colour of a chessboard, a byte a spin.
#define WIDTH 8192
#define HEIGHT 8192

__device__ __forceinline__ unsigned int random_of(unsigned long long counter)
{
    unsigned long long z = counter * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (unsigned int)(z >> 32);
}

// A site a thread.
extern "C" __global__ void __launch_bounds__(256) ising_sweep_before(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, const unsigned int* __restrict__ threshold, int colour, int sweep)
{
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    const unsigned char* row = in + y * WIDTH;
    int spin = row[x];
    if (((x + y) & 1) == colour) {
        const int around = row[(x - 1) & (WIDTH - 1)] + row[(x + 1) & (WIDTH - 1)] + in[((y - 1) & (HEIGHT - 1)) * WIDTH + x] + in[((y + 1) & (HEIGHT - 1)) * WIDTH + x];
        const unsigned int draw = random_of((unsigned long long)sweep << 32 | (unsigned int)(y * WIDTH + x));
        spin ^= draw < threshold[spin * 5 + around];
    }
    out[y * WIDTH + x] = (unsigned char)spin;
}
