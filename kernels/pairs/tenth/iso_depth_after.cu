// iso_depth_after: depth at which rays straight through a volume first meet a value, a thread to a ray, four samples at a time.
extern "C" __global__ void __launch_bounds__(256) iso_depth_after(float* __restrict__ out, const float* __restrict__ volume, int rays, int depth, float iso)
{
    const int ray = blockIdx.x * 256 + threadIdx.x;
    if (ray >= rays) {
        return;
    }
    float met = depth, last = 0.0f;
    for (int z = 0; z < depth && met == depth; z += 4) {
        float sample[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            sample[k] = z + k < depth ? volume[(long long)(z + k) * rays + ray] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (sample[k] > iso && met == depth) {
                met = z + k - (sample[k] - iso) / (sample[k] - last);
            }
            last = sample[k];
        }
    }
    out[ray] = met;
}
