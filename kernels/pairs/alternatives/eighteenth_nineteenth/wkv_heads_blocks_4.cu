// wkv_heads_blocks_4: linear attention with a decay (RWKV), four blocks to a head, 16 columns of its state each, four lanes to a column, sums by shuffles.
#define SIZE 64
#define COLUMNS 16
#define PARTS 4
#define PAD 8

extern "C" __global__ void __launch_bounds__(64) wkv_heads_blocks_4(float* __restrict__ out, const float* __restrict__ receptance, const float* __restrict__ key, const float* __restrict__ value, const float* __restrict__ decay, const float* __restrict__ bonus, int heads, int steps)
{
    __shared__ float r[SIZE], k[SIZE], w[SIZE], u[SIZE];
    __shared__ float state[SIZE][COLUMNS + PAD];
    const int head = blockIdx.x / PARTS, first = blockIdx.x % PARTS * COLUMNS, x = threadIdx.x, j = x / PARTS, p = x % PARTS;
    w[x] = decay[head * SIZE + x];
    u[x] = bonus[head * SIZE + x];
#pragma unroll
    for (int i = 0; i < SIZE; i += PARTS) {
        state[i + p][j] = 0.0f;
    }
    long long at = ((long long)blockIdx.y * steps * heads + head) * SIZE;
    float rn = receptance[at + x], kn = key[at + x], vn = value[at + first + j];
    for (int t = 0; t < steps; ++t) {
        __syncthreads();
        r[x] = rn;
        k[x] = kn;
        const float v = vn;
        __syncthreads();
        const long long next = at + heads * SIZE;
        if (t + 1 < steps) {
            rn = receptance[next + x];
            kn = key[next + x];
            vn = value[next + first + j];
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
            out[at + first + j] = sum;
        }
        at = next;
    }
}
