// cholesky32_before: covariances of 32 x 32 factorised, one for each cell of a filter.
#define EDGE 32
#define PITCH 32

// A warp to a matrix, a lane to a row; the lower half is read, the diagonal raised.
extern "C" __global__ void __launch_bounds__(128) cholesky32_before(float* __restrict__ out, const float* __restrict__ in, float ridge, int matrices)
{
    __shared__ float tile[4][EDGE * PITCH];
    const int lane = threadIdx.x % 32, which = blockIdx.x * 4 + threadIdx.x / 32;
    if (which >= matrices) {
        return;
    }
    float* a = tile[threadIdx.x / 32];
    const float* from = in + (long long)which * EDGE * EDGE;
    float* to = out + (long long)which * EDGE * EDGE;
    for (int r = 0; r < EDGE; ++r) {
        a[r * PITCH + lane] = lane > r ? 0.0f : from[r * EDGE + lane] + (lane == r ? ridge : 0.0f);
    }
    __syncwarp();
    for (int j = 0; j < EDGE; ++j) {
        float v = a[lane * PITCH + j];
        for (int k = 0; k < j; ++k) {
            v -= a[lane * PITCH + k] * a[j * PITCH + k];
        }
        const float pivot = sqrtf(__shfl_sync(0xffffffffu, v, j));
        if (lane >= j) {
            a[lane * PITCH + j] = lane == j ? pivot : v / pivot;
        }
        __syncwarp();
    }
    for (int r = 0; r < EDGE; ++r) {
        to[r * EDGE + lane] = a[r * PITCH + lane];
    }
}
