// nearest_place_before: distance on a sphere to the nearest of the places, by haversines, a thread to a question.
extern "C" __global__ void __launch_bounds__(256) nearest_place_before(float* out, const float2* __restrict__ question, const float2* __restrict__ place, int places)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 q = question[id];
    float best = 1e30f;
    for (int k = 0; k < places; ++k) {
        const float2 p = place[k];
        const float u = sinf(0.5f * (p.x - q.x)), v = sinf(0.5f * (p.y - q.y));
        const float a = u * u + cosf(q.x) * cosf(p.x) * v * v;
        best = fminf(best, 2.0f * asinf(sqrtf(fminf(a, 1.0f))));
    }
    out[id] = best;
}
