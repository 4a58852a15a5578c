// clade_likelihood_after: likelihoods of the four bases at a node of a tree from those of its two children (Felsenstein), four rates.
// A site and a rate category a thread.
extern "C" __global__ void __launch_bounds__(256) clade_likelihood_after(float4* __restrict__ out, const float4* __restrict__ left, const float4* __restrict__ right, const float* __restrict__ left_change, const float* __restrict__ right_change, int sites)
{
    __shared__ __align__(16) float p[16], q[16];
    if (threadIdx.x < 16) {
        p[threadIdx.x] = left_change[16 * blockIdx.y + threadIdx.x];
        q[threadIdx.x] = right_change[16 * blockIdx.y + threadIdx.x];
    }
    __syncthreads();
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= sites) {
        return;
    }
    const long long at = (long long)blockIdx.y * sites + i;
    const float4 a = left[at], b = right[at];
    float likelihood[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
        const float l = p[4 * s] * a.x + p[4 * s + 1] * a.y + p[4 * s + 2] * a.z + p[4 * s + 3] * a.w;
        const float r = q[4 * s] * b.x + q[4 * s + 1] * b.y + q[4 * s + 2] * b.z + q[4 * s + 3] * b.w;
        likelihood[s] = l * r;
    }
    out[at] = make_float4(likelihood[0], likelihood[1], likelihood[2], likelihood[3]);
}
