// run_expand_before: a column of runs written out in full, a thread to a run.
extern "C" __global__ void __launch_bounds__(256) run_expand_before(unsigned* __restrict__ out, const unsigned* __restrict__ value, const unsigned* __restrict__ start, int runs)
{
    const int run = blockIdx.x * 256 + threadIdx.x;
    if (run >= runs) {
        return;
    }
    const unsigned v = value[run], end = start[run + 1];
    for (unsigned i = start[run]; i < end; ++i) {
        out[i] = v;
    }
}
