// inverse16_before: inverses of damped matrices of 16 x 16 by Gauss and Jordan, half a warp to a matrix in shared memory, a lane to a row.
template <int N> struct Matrix {
    float cell[N][N];
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
        __syncwarp();
        if (lane == k) {
            for (int j = 0; j < N; ++j) {
                cell[k][j] = j == k ? p : cell[k][j] * p;
            }
        }
        __syncwarp();
        if (lane != k) {
            const float f = cell[lane][k];
#pragma unroll
            for (int j = 0; j < N; ++j) {
                cell[lane][j] = j == k ? -f * p : cell[lane][j] - f * cell[k][j];
            }
        }
        __syncwarp();
    }
};

extern "C" __global__ void __launch_bounds__(128) inverse16_before(float* __restrict__ out, const float* __restrict__ in, int matrices, float damping)
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
