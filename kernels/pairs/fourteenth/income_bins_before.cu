// income_bins_before: the bin of each value, by the sorted edges of the bins.
extern "C" __global__ void __launch_bounds__(256) income_bins_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ value, const unsigned int* __restrict__ edge, int count, int edges)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const unsigned int v = value[i];
    int b = 0;
    while (b < edges && edge[b] <= v) {
        ++b;
    }
    out[i] = b;
}
