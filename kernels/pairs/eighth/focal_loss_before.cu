// focal_loss_before: focal loss of anchors by 80 classes, four classes a thread, functions of full precision.
struct Focal {
    float alpha;
    __device__ __forceinline__ float operator()(float z, bool hit) const
    {
        const float e = expf(hit ? -z : z), p = 1.0f / (1.0f + e);
        return -(hit ? alpha : 1.0f - alpha) * (1.0f - p) * (1.0f - p) * logf(p);
    }
};

extern "C" __global__ void __launch_bounds__(256) focal_loss_before(float4* __restrict__ out, const float4* __restrict__ score, const unsigned* __restrict__ label, int anchors, float alpha)
{
    constexpr int Fours = 20;
    const int i = blockIdx.x * 256 + threadIdx.x, anchor = i / Fours;
    if (anchor >= anchors) {
        return;
    }
    const int hit = (int)label[anchor] - i % Fours * 4;
    const float4 z = score[i];
    const Focal loss{alpha};
    out[i] = make_float4(loss(z.x, hit == 0), loss(z.y, hit == 1), loss(z.z, hit == 2), loss(z.w, hit == 3));
}
