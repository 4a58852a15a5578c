// nms_mask_before: which pairs of pixel boxes overlap by more than a threshold, a bit to a pair, 128 x 128 pairs to a block; the threshold as a quotient.
__device__ float4 pixels(float4 b)
{
    const float x = floorf(b.x * 1024.0f), y = floorf(b.y * 1024.0f);
    return make_float4(x, y, x + 1.0f + floorf(b.z * 256.0f), y + 1.0f + floorf(b.w * 256.0f));
}

extern "C" __global__ void __launch_bounds__(128) nms_mask_before(uint4* mask, const float4* __restrict__ box, int boxes, float threshold)
{
    __shared__ float4 column[128];
    __shared__ float areas[128];
    const int t = threadIdx.x, row = blockIdx.y * 128 + t;
    const float4 own = pixels(box[blockIdx.x * 128 + t]);
    column[t] = own;
    areas[t] = (own.z - own.x) * (own.w - own.y);
    const float4 a = pixels(box[row]);
    const float area = (a.z - a.x) * (a.w - a.y);
    __syncthreads();
    unsigned bits[4];
    for (int word = 0; word < 4; ++word) {
        bits[word] = 0;
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            const float4 b = column[word * 32 + j];
            const float w = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.0f);
            const float h = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.0f);
            const float common = w * h, all = area + areas[word * 32 + j] - common;
            bits[word] |= (unsigned)(common / all > threshold) << j;
        }
    }
    mask[(long long)row * (boxes / 128) + blockIdx.x] = make_uint4(bits[0], bits[1], bits[2], bits[3]);
}
