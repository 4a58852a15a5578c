// compact_after: values over a threshold kept close together in any order, places for a block of 2,048 values from one counter.
__device__ float compact_kept[33554432];

extern "C" __global__ void __launch_bounds__(256) compact_after(unsigned* count, const float* __restrict__ in, float threshold)
{
    __shared__ unsigned part[64], first;
    const int t = threadIdx.x, lane = t & 31;
    float v[8];
    unsigned votes[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        v[i] = in[blockIdx.x * 2048 + i * 256 + t];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        votes[i] = __ballot_sync(~0u, v[i] > threshold);
        if (lane == 0) {
            part[i * 8 + t / 32] = __popc(votes[i]);
        }
    }
    __syncthreads();
    if (t < 32) {
        const unsigned own = part[2 * t], pair = own + part[2 * t + 1];
        unsigned sum = pair;
        for (int d = 1; d < 32; d *= 2) {
            const unsigned other = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? other : 0;
        }
        part[2 * t] = sum - pair;
        part[2 * t + 1] = sum - pair + own;
        if (t == 31) {
            first = atomicAdd(count, sum);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        if (v[i] > threshold) {
            compact_kept[first + part[i * 8 + t / 32] + __popc(votes[i] & ((1u << lane) - 1))] = v[i];
        }
    }
}
