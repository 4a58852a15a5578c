// decode_ref: attention of one query over a cache, a block to a value of the result; grid [128, 32], block 256. Softmax in two passes:
// the largest score, then the sums. What both kernels of the pair are checked against.
#include <cuda_fp16.h>

__device__ float score(const __half* q, const __half* k)
{
    float sum = 0.0f;
    for (int i = 0; i < 128; ++i) {
        sum += __half2float(q[i]) * __half2float(k[i]);
    }
    return sum;
}

__global__ void decode_ref(float* out, const __half* query, const __half* key, const __half* value, int context, float scale)
{
    __shared__ float a[256], b[256];
    const int t = threadIdx.x, dim = blockIdx.x, head = blockIdx.y;
    const __half* q = query + head * 128;
    const __half* k = key + (long long)head * context * 128;
    const __half* v = value + (long long)head * context * 128;
    float top = -1e30f;
    for (int i = t; i < context; i += 256) {
        top = fmaxf(top, scale * score(q, k + i * 128));
    }
    a[t] = top;
    __syncthreads();
    for (int i = 0; i < 256; ++i) {
        top = fmaxf(top, a[i]);
    }
    __syncthreads();
    float total = 0.0f, sum = 0.0f;
    for (int i = t; i < context; i += 256) {
        const float p = expf(scale * score(q, k + i * 128) - top);
        total += p;
        sum += p * __half2float(v[i * 128 + dim]);
    }
    a[t] = total;
    b[t] = sum;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 256; ++i) {
            total += a[i];
            sum += b[i];
        }
        out[head * 128 + dim] = sum / total;
    }
}
