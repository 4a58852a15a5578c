// vq_encode_before: nearest of 256 codes for vectors of 32 numbers (quantisation of a codec).
#define DEPTH 32
#define CODES 256

// A vector a thread; the codes in shared memory.
extern "C" __global__ void __launch_bounds__(256) vq_encode_before(unsigned int* __restrict__ index, float* __restrict__ distance, const float4* __restrict__ vector, const float4* __restrict__ code, int vectors)
{
    __shared__ float4 s[CODES * DEPTH / 4];
    for (int i = threadIdx.x; i < CODES * DEPTH / 4; i += 256) {
        s[i] = code[i];
    }
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    float4 v[DEPTH / 4];
#pragma unroll
    for (int k = 0; k < DEPTH / 4; ++k) {
        v[k] = vector[(long long)i * (DEPTH / 4) + k];
    }
    float best = 3.4e38f;
    unsigned int where = 0;
    for (int c = 0; c < CODES; ++c) {
        float d = 0.0f;
#pragma unroll
        for (int k = 0; k < DEPTH / 4; ++k) {
            const float4 u = s[c * (DEPTH / 4) + k];
            d += (v[k].x - u.x) * (v[k].x - u.x);
            d += (v[k].y - u.y) * (v[k].y - u.y);
            d += (v[k].z - u.z) * (v[k].z - u.z);
            d += (v[k].w - u.w) * (v[k].w - u.w);
        }
        if (d < best) {
            best = d;
            where = c;
        }
    }
    index[i] = where;
    distance[i] = best;
}
