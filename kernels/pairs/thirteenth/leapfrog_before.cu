// leapfrog_before: places and speeds of particles after a step.
extern "C" __global__ void __launch_bounds__(256) leapfrog_before(float4* __restrict__ place_out, float4* __restrict__ speed_out, const float4* __restrict__ place, const float4* __restrict__ speed, const float4* __restrict__ force, float dt, int fours)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= fours) {
        return;
    }
    const float4 f = force[i];
    float4 v = speed[i], p = place[i];
    v.x += dt * f.x;
    v.y += dt * f.y;
    v.z += dt * f.z;
    v.w += dt * f.w;
    p.x += dt * v.x;
    p.y += dt * v.y;
    p.z += dt * v.z;
    p.w += dt * v.w;
    speed_out[i] = v;
    place_out[i] = p;
}
