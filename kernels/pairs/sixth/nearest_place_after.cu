// nearest_place_after: distance on a sphere to the nearest of the places, by chords between unit vectors, a thread to a question.
__device__ __forceinline__ float3 unit(float2 p)
{
    float sx, cx, sy, cy;
    sincosf(p.x, &sx, &cx);
    sincosf(p.y, &sy, &cy);
    return make_float3(cx * cy, cx * sy, sx);
}

extern "C" __global__ void __launch_bounds__(256) nearest_place_after(float* out, const float2* __restrict__ question, const float2* __restrict__ place, int places)
{
    __shared__ float4 vector[1024];
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    const float3 q = unit(question[id]);
    float best = 1e30f;
    for (int first = 0; first < places; first += 1024) {
        __syncthreads();
        for (int k = threadIdx.x; k < 1024; k += 256) {
            const float3 p = unit(place[first + k]);
            vector[k] = make_float4(p.x, p.y, p.z, 0.0f);
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 1024; ++k) {
            const float4 p = vector[k];
            const float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
            best = fminf(best, x * x + y * y + z * z);
        }
    }
    out[id] = 2.0f * asinf(0.5f * sqrtf(fminf(best, 4.0f)));
}
