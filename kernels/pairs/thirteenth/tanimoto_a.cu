// tanimoto_a: likeness of molecules, bits two fingerprints of 1,024 bits share over the bits either has.
// A thread to a pair.
extern "C" __global__ void __launch_bounds__(256) tanimoto_a(float* __restrict__ out, const unsigned int* __restrict__ query, const unsigned int* __restrict__ library, int molecules)
{
    const int column = blockIdx.x * 16 + threadIdx.x % 16, row = blockIdx.y * 16 + threadIdx.x / 16;
    int both = 0, either = 0;
    for (int w = 0; w < 32; ++w) {
        const unsigned int a = query[row * 32 + w], b = library[column * 32 + w];
        both += __popc(a & b);
        either += __popc(a | b);
    }
    out[(long long)row * molecules + column] = (float)both / (float)either;
}
