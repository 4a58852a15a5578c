// income_bins_after: the bin of each value, by the sorted edges of the bins.
extern "C" __global__ void __launch_bounds__(256) income_bins_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ value, const unsigned int* __restrict__ edge, int count, int edges)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const unsigned int v = value[i];
    int low = 0, high = edges;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (edge[middle] <= v) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[i] = low;
}
