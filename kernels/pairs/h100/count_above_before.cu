// count_above_before: number of values over a threshold, an atomic by each thread that finds one.
extern "C" __global__ void __launch_bounds__(256) count_above_before(unsigned* count, const float* __restrict__ x, float threshold, unsigned n)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    if (i < n && x[i] > threshold) {
        atomicAdd(count, 1u);
    }
}
