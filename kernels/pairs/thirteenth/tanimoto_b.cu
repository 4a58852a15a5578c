// tanimoto_b: likeness of molecules, bits two fingerprints of 1,024 bits share over the bits either has.
// A thread to a pair, fingerprints of 16 x 16 pairs in shared memory.
extern "C" __global__ void __launch_bounds__(256) tanimoto_b(float* __restrict__ out, const unsigned int* __restrict__ query, const unsigned int* __restrict__ library, int molecules)
{
    __shared__ unsigned int left[16][33], right[16][33];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (int i = threadIdx.x; i < 16 * 32; i += 256) {
        left[i / 32][i % 32] = query[blockIdx.y * 16 * 32 + i];
        right[i / 32][i % 32] = library[blockIdx.x * 16 * 32 + i];
    }
    __syncthreads();
    int both = 0, either = 0;
#pragma unroll
    for (int w = 0; w < 32; ++w) {
        const unsigned int a = left[y][w], b = right[x][w];
        both += __popc(a & b);
        either += __popc(a | b);
    }
    out[(long long)(blockIdx.y * 16 + y) * molecules + blockIdx.x * 16 + x] = (float)both / (float)either;
}
