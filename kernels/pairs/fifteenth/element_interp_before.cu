// element_interp_before: values of finite elements of order seven at their 512 points, from 512 nodes.
#define P 8

// A block to an element, a thread to a point.
extern "C" __global__ void __launch_bounds__(512) element_interp_before(float* __restrict__ out, const float* __restrict__ node, const float* __restrict__ shape)
{
    __shared__ float u[P][P][P];
    __shared__ float b[P][P];
    const int t = threadIdx.x, x = t % P, y = t / P % P, z = t / (P * P);
    u[z][y][x] = node[(long long)blockIdx.x * P * P * P + t];
    if (t < P * P) {
        b[t / P][t % P] = shape[t];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < P; ++k) {
        for (int j = 0; j < P; ++j) {
#pragma unroll
            for (int i = 0; i < P; ++i) {
                sum += b[z][k] * b[y][j] * b[x][i] * u[k][j][i];
            }
        }
    }
    out[(long long)blockIdx.x * P * P * P + t] = sum;
}
