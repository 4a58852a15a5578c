// iso_depth_before: depth at which rays straight through a volume first meet a value, a thread to a ray.
extern "C" __global__ void __launch_bounds__(256) iso_depth_before(float* __restrict__ out, const float* __restrict__ volume, int rays, int depth, float iso)
{
    const int ray = blockIdx.x * 256 + threadIdx.x;
    if (ray >= rays) {
        return;
    }
    float met = depth, last = 0.0f;
    for (int z = 0; z < depth; ++z) {
        const float sample = volume[(long long)z * rays + ray];
        if (sample > iso) {
            met = z - (sample - iso) / (sample - last);
            break;
        }
        last = sample;
    }
    out[ray] = met;
}
