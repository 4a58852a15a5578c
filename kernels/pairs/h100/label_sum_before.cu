// label_sum_before: sums of values by label (64 labels), an atomic in global memory for each value.
__global__ void __launch_bounds__(256) label_sum_before(float* sums, const float* value, const unsigned* label, unsigned count)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    if (i < count) {
        atomicAdd(sums + label[i], value[i]);
    }
}
