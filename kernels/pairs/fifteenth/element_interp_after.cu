// element_interp_after: values of finite elements of order seven at their 512 points, from 512 nodes.
#define P 8

// A block to an element, a thread to a point; one direction after the other.
extern "C" __global__ void __launch_bounds__(512) element_interp_after(float* __restrict__ out, const float* __restrict__ node, const float* __restrict__ shape)
{
    __shared__ float u[P][P][P];
    __shared__ float v[P][P][P];
    __shared__ float b[P][P];
    const int t = threadIdx.x, x = t % P, y = t / P % P, z = t / (P * P);
    u[z][y][x] = node[(long long)blockIdx.x * P * P * P + t];
    if (t < P * P) {
        b[t / P][t % P] = shape[t];
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < P; ++i) {
        sum += b[x][i] * u[z][y][i];
    }
    v[z][y][x] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int j = 0; j < P; ++j) {
        sum += b[y][j] * v[z][j][x];
    }
    u[z][y][x] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < P; ++k) {
        sum += b[z][k] * u[k][y][x];
    }
    out[(long long)blockIdx.x * P * P * P + t] = sum;
}
