// wkv_heads_split_4: linear attention with a decay (RWKV), a block to a head, four lanes to a column of its state (every fourth row each), sums by shuffles.
#define SIZE 64
#define PARTS 4
#define PAD 8

extern "C" __global__ void __launch_bounds__(256) wkv_heads_split_4(float* __restrict__ out, const float* __restrict__ receptance, const float* __restrict__ key, const float* __restrict__ value, const float* __restrict__ decay, const float* __restrict__ bonus, int heads, int steps)
{
    __shared__ float r[SIZE], k[SIZE], w[SIZE], u[SIZE], vs[SIZE];
    __shared__ float state[SIZE][SIZE + PAD];
    const int head = blockIdx.x, x = threadIdx.x, j = x / PARTS, p = x % PARTS;
    if (x < SIZE) {
        w[x] = decay[head * SIZE + x];
        u[x] = bonus[head * SIZE + x];
    }
#pragma unroll
    for (int i = 0; i < SIZE; i += PARTS) {
        state[i + p][j] = 0.0f;
    }
    // Threads of the first 192 load receptance, key and value, a warp one kind.
    const float* from = x < SIZE ? receptance : x < 2 * SIZE ? key : value;
    float* to = x < SIZE ? r : x < 2 * SIZE ? k : vs;
    long long at = ((long long)blockIdx.y * steps * heads + head) * SIZE;
    float ahead = x < 3 * SIZE ? from[at + x % SIZE] : 0.0f;
    for (int t = 0; t < steps; ++t) {
        __syncthreads();
        if (x < 3 * SIZE) {
            to[x % SIZE] = ahead;
        }
        __syncthreads();
        const float v = vs[j];
        const long long next = at + heads * SIZE;
        if (t + 1 < steps && x < 3 * SIZE) {
            ahead = from[next + x % SIZE];
        }
        float y[2] = {};
#pragma unroll
        for (int i = 0; i < SIZE / PARTS; ++i) {
            const int row = i * PARTS + p;
            const float kv = k[row] * v, s = state[row][j];
            y[i % 2] += r[row] * (u[row] * kv + s);
            state[row][j] = s * w[row] + kv;
        }
        float sum = y[0] + y[1];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        if (p == 0) {
            out[at + j] = sum;
        }
        at = next;
    }
}
