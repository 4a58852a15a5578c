// kmeans_update: one sum to a block, in double precision, halved until one thread has it; grid 64, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void kmeans_update_ref(double* sums, const float4* points, const unsigned* cluster)
{
    __shared__ double partial[256];
    const float* values = reinterpret_cast<const float*>(points);
    double sum = 0.0;
    for (unsigned p = threadIdx.x; p < 4325376u; p += 256u) {
        sum += cluster[p] == blockIdx.x / 8u ? values[p * 8u + blockIdx.x % 8u] : 0.0f;
    }
    partial[threadIdx.x] = sum;
    for (unsigned half = 128u; half > 0u; half /= 2u) {
        __syncthreads();
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0u) {
        sums[blockIdx.x] = partial[0];
    }
}
