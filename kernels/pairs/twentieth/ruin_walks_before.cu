// ruin_walks_before: how many games a gambler plays until he is ruined or has reached his goal.
__device__ __forceinline__ unsigned int seed_of(unsigned int walk, unsigned int seed)
{
    unsigned int s = walk * 2654435761u + seed;
    s = (s ^ s >> 16) * 0x85ebca6bu;
    s ^= s >> 13;
    return s != 0 ? s : 1;
}

// A walk a thread.
extern "C" __global__ void __launch_bounds__(256) ruin_walks_before(unsigned int* __restrict__ out, const int* __restrict__ start, int walks, int goal, unsigned int win, unsigned int seed)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= walks) {
        return;
    }
    int money = start[i];
    unsigned int s = seed_of(i, seed), games = 0;
    while (money > 0 && money < goal) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        money += s < win ? 1 : -1;
        ++games;
    }
    out[i] = games << 1 | (money == goal);
}
