// ragged_queue_after: sum of a Gaussian kernel over all pairs of each sequence, 0 to 1,024 values in a sequence, resident blocks, sequences taken from a queue.
__device__ unsigned taken, ended;

extern "C" __global__ void __launch_bounds__(128) ragged_queue_after(float* energy, const float* __restrict__ in, const unsigned* __restrict__ offset, int sequences, float width)
{
    __shared__ float value[1024], part[4];
    const int t = threadIdx.x;
    __shared__ unsigned mine;
    while (true) {
        if (t == 0) {
            mine = atomicAdd(&taken, 1u);
        }
        __syncthreads();
        const int at = mine;
        if (at >= sequences) {
            break;
        }
        const unsigned first = offset[at], length = offset[at + 1] - first;
        for (int i = t; i < length; i += 128) {
            value[i] = in[first + i];
        }
        __syncthreads();
        float sum = 0.0f;
        for (int i = t; i < length; i += 128) {
            const float x = value[i];
#pragma unroll 8
            for (int j = 0; j < length; ++j) {
                const float d = x - value[j];
                sum += exp2f(-d * d * width);
            }
        }
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_xor_sync(~0u, sum, d);
        }
        if (t % 32 == 0) {
            part[t / 32] = sum;
        }
        __syncthreads();
        if (t == 0) {
            energy[at] = part[0] + part[1] + part[2] + part[3];
        }
    }
    if (t == 0 && atomicAdd(&ended, 1u) == gridDim.x - 1) {
        taken = 0;
        ended = 0;
    }
}
