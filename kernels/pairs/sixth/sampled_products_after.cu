// sampled_products_after: products of rows of two matrices of 64 columns at the places of a sparse matrix, eight lanes to a place.
extern "C" __global__ void __launch_bounds__(256) sampled_products_after(float* out, const unsigned* __restrict__ row, const unsigned* __restrict__ column, const float* __restrict__ a, const float* __restrict__ b)
{
    const int place = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    const float4* x = reinterpret_cast<const float4*>(a + row[place] * 64);
    const float4* y = reinterpret_cast<const float4*>(b + column[place] * 64);
    const float4 p = x[lane], q = x[lane + 8], r = y[lane], s = y[lane + 8];
    float sum = p.x * r.x + p.y * r.y + p.z * r.z + p.w * r.w + q.x * s.x + q.y * s.y + q.z * s.z + q.w * s.w;
    sum += __shfl_xor_sync(~0u, sum, 4);
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (lane == 0) {
        out[place] = sum;
    }
}
