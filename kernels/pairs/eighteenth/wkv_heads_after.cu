// wkv_heads_after: linear attention with a decay (RWKV), the state of a head a matrix of 64 by 64.
#define SIZE 64

// A block to a head of a sequence, a thread to a column of its state.
extern "C" __global__ void __launch_bounds__(64) wkv_heads_after(float* __restrict__ out, const float* __restrict__ receptance, const float* __restrict__ key, const float* __restrict__ value, const float* __restrict__ decay, const float* __restrict__ bonus, int heads, int steps)
{
    __shared__ float r[SIZE], k[SIZE], w[SIZE], u[SIZE];
    float state[SIZE];
    const int head = blockIdx.x, j = threadIdx.x;
    w[j] = decay[head * SIZE + j];
    u[j] = bonus[head * SIZE + j];
#pragma unroll
    for (int i = 0; i < SIZE; ++i) {
        state[i] = 0.0f;
    }
    long long at = ((long long)blockIdx.y * steps * heads + head) * SIZE + j;
    float rn = receptance[at], kn = key[at], vn = value[at];
    for (int t = 0; t < steps; ++t) {
        __syncthreads();
        r[j] = rn;
        k[j] = kn;
        const float v = vn;
        __syncthreads();
        const long long next = at + heads * SIZE;
        if (t + 1 < steps) {
            rn = receptance[next];
            kn = key[next];
            vn = value[next];
        }
        float y[4] = {};
#pragma unroll
        for (int i = 0; i < SIZE; ++i) {
            const float kv = k[i] * v, s = state[i];
            y[i % 4] += r[i] * (u[i] * kv + s);
            state[i] = s * w[i] + kv;
        }
        out[at] = y[0] + y[1] + y[2] + y[3];
        at = next;
    }
}
