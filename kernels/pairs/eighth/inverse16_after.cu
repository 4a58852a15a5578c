// inverse16_after: inverses of damped matrices of 16 x 16 by Gauss and Jordan, half a warp to a matrix in shared memory, a lane to a column.
template <int N> struct Matrix {
    float cell[N][N], apart[N];
    __device__ __forceinline__ void load(const float* __restrict__ from, int lane, float damping)
    {
        for (int r = 0; r < N; ++r) {
            cell[r][lane] = from[r * N + lane] + (r == lane ? damping : 0.0f);
        }
    }
    __device__ __forceinline__ void store(float* __restrict__ to, int lane) const
    {
        for (int r = 0; r < N; ++r) {
            to[r * N + lane] = cell[r][lane];
        }
    }
    __device__ __forceinline__ void pivot(int k, int lane)
    {
        const float p = 1.0f / cell[k][k];
        const float own = lane == k ? p : cell[k][lane] * p;
        float f[N];
#pragma unroll
        for (int r = 0; r < N; ++r) {
            f[r] = cell[r][k];
        }
        __syncwarp();
#pragma unroll
        for (int r = 0; r < N; ++r) {
            cell[r][lane] = r == k ? own : (lane == k ? 0.0f : cell[r][lane]) - f[r] * own;
        }
        __syncwarp();
    }
};

extern "C" __global__ void __launch_bounds__(128) inverse16_after(float* __restrict__ out, const float* __restrict__ in, int matrices, float damping)
{
    constexpr int N = 16;
    __shared__ Matrix<N> all[8];
    const int lane = threadIdx.x % N, m = min(blockIdx.x * 8 + threadIdx.x / N, matrices - 1);
    Matrix<N>& own = all[threadIdx.x / N];
    own.load(in + (long long)m * N * N, lane, damping);
    __syncwarp();
    for (int k = 0; k < N; ++k) {
        own.pivot(k, lane);
    }
    own.store(out + (long long)m * N * N, lane);
}
