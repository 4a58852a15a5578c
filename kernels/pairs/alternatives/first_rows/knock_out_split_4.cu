// knock_out_split_4: the day on which each path of a price first passes a barrier, the days dealt in turn to four threads.
extern "C" __global__ void __launch_bounds__(128) knock_out_split_4(unsigned int* __restrict__ out, const float* __restrict__ price, float barrier, int paths, int days)
{
    __shared__ int first[32];
    const int t = threadIdx.x % 32, p = blockIdx.x * 32 + t;
    if (threadIdx.x < 32) {
        first[t] = days;
    }
    __syncthreads();
    for (int d = threadIdx.x / 32; d < days; d += 4) {
        if (price[(long long)d * paths + p] > barrier) {
            atomicMin(&first[t], d);
            break;
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        out[p] = first[t];
    }
}
