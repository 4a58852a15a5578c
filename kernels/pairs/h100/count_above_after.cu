// count_above_after: the same count, the finds of a warp counted by ballot and added by one lane.
extern "C" __global__ void __launch_bounds__(256) count_above_after(unsigned* count, const float* __restrict__ x, float threshold, unsigned n)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    const unsigned votes = __ballot_sync(~0u, i < n && x[i] > threshold);
    if (threadIdx.x % 32u == 0u && votes != 0u) {
        atomicAdd(count, static_cast<unsigned>(__popc(votes)));
    }
}
