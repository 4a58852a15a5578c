// ising_sweep_after: half a Metropolis sweep of the Ising model on a torus, the sites of one colour of a chessboard, a byte a spin.
#define WIDTH 8192
#define HEIGHT 8192

__device__ __forceinline__ unsigned int random_of(unsigned long long counter)
{
    unsigned long long z = counter * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (unsigned int)(z >> 32);
}

// Two neighbouring sites a thread, of which one has the colour.
extern "C" __global__ void __launch_bounds__(256) ising_sweep_after(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, const unsigned int* __restrict__ threshold, int colour, int sweep)
{
    const int pair = 2 * (blockIdx.x * 256 + threadIdx.x), y = blockIdx.y;
    const unsigned char* row = in + y * WIDTH;
    const int second = (y + colour) & 1;
    const int x = pair + second;
    const uchar2 own = *(const uchar2*)(row + pair);
    int spin = second ? own.y : own.x;
    const int beside = second ? own.x : own.y;
    const int around = beside + row[(second ? x + 1 : x - 1) & (WIDTH - 1)] + in[((y - 1) & (HEIGHT - 1)) * WIDTH + x] + in[((y + 1) & (HEIGHT - 1)) * WIDTH + x];
    const unsigned int draw = random_of((unsigned long long)sweep << 32 | (unsigned int)(y * WIDTH + x));
    spin ^= draw < threshold[spin * 5 + around];
    *(uchar2*)(out + y * WIDTH + pair) = second ? make_uchar2(beside, spin) : make_uchar2(spin, beside);
}
