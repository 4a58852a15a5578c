// quant_rows_after: rows of 11,264 values to eight bits with the largest of the row as scale, the row kept in shared memory, 512 threads to a row.
extern "C" __global__ void __launch_bounds__(512) quant_rows_after(signed char* out, float* scale, const float* __restrict__ in)
{
    constexpr int N = 11264, THREADS = 512;
    __shared__ float row[N], part[THREADS / 32];
    const int t = threadIdx.x;
    const float* from = in + (long long)blockIdx.x * N;
    float largest = 0.0f;
#pragma unroll 2
    for (int i = t; i < N; i += THREADS) {
        row[i] = from[i];
        largest = fmaxf(largest, fabsf(row[i]));
    }
    for (int d = 16; d > 0; d /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
    }
    if (t % 32 == 0) {
        part[t / 32] = largest;
    }
    __syncthreads();
    for (int w = 0; w < THREADS / 32; ++w) {
        largest = fmaxf(largest, part[w]);
    }
    const float factor = 127.0f / largest;
    char4* to = reinterpret_cast<char4*>(out + (long long)blockIdx.x * N);
    for (int i = t; i < N / 4; i += THREADS) {
        const float4 v = reinterpret_cast<const float4*>(row)[i];
        to[i] = make_char4(__float2int_rn(v.x * factor), __float2int_rn(v.y * factor), __float2int_rn(v.z * factor), __float2int_rn(v.w * factor));
    }
    if (t == 0) {
        scale[blockIdx.x] = largest / 127.0f;
    }
}
