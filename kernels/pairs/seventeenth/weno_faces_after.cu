// weno_faces_after: change of a field by fluxes of the fifth order (WENO, Burgers' equation), along rows.
__device__ __forceinline__ float side(float a, float b, float c, float d, float e)
{
    const float b0 = 1.0833333f * (a - 2.0f * b + c) * (a - 2.0f * b + c) + 0.25f * (a - 4.0f * b + 3.0f * c) * (a - 4.0f * b + 3.0f * c);
    const float b1 = 1.0833333f * (b - 2.0f * c + d) * (b - 2.0f * c + d) + 0.25f * (b - d) * (b - d);
    const float b2 = 1.0833333f * (c - 2.0f * d + e) * (c - 2.0f * d + e) + 0.25f * (3.0f * c - 4.0f * d + e) * (3.0f * c - 4.0f * d + e);
    const float w0 = 0.1f / ((1e-6f + b0) * (1e-6f + b0));
    const float w1 = 0.6f / ((1e-6f + b1) * (1e-6f + b1));
    const float w2 = 0.3f / ((1e-6f + b2) * (1e-6f + b2));
    const float p0 = (2.0f * a - 7.0f * b + 11.0f * c) * 0.16666667f;
    const float p1 = (-b + 5.0f * c + 2.0f * d) * 0.16666667f;
    const float p2 = (2.0f * c + 5.0f * d - e) * 0.16666667f;
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
}

// Flux between the third and the fourth of six cells.
__device__ __forceinline__ float flux(const float* q, float speed)
{
    float up[6], down[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        const float f = 0.5f * q[k] * q[k];
        up[k] = 0.5f * (f + speed * q[k]);
        down[k] = 0.5f * (f - speed * q[k]);
    }
    return side(up[0], up[1], up[2], up[3], up[4]) + side(down[5], down[4], down[3], down[2], down[1]);
}

__device__ __forceinline__ int wrap(int i, int width)
{
    return i < 0 ? i + width : i >= width ? i - width : i;
}

// A face a thread, 255 cells to a block: fluxes pass through shared memory.
extern "C" __global__ void __launch_bounds__(256) weno_faces_after(float* __restrict__ out, const float* __restrict__ in, float speed, float per_length, int width)
{
    __shared__ float face[256];
    const int i = blockIdx.x * 255 + threadIdx.x;
    const float* row = in + (long long)blockIdx.y * width;
    float q[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        q[k] = row[wrap(i + k - 3, width)];
    }
    face[threadIdx.x] = flux(q, speed);
    __syncthreads();
    if (threadIdx.x < 255 && i < width) {
        out[(long long)blockIdx.y * width + i] = (face[threadIdx.x] - face[threadIdx.x + 1]) * per_length;
    }
}
