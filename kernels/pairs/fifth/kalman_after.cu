// kalman_after: filters of six states (place and speed) over measured places, a thread to a track, registers as they come.
extern "C" __global__ void __launch_bounds__(128) kalman_after(float* out, const float* __restrict__ place, int tracks, int steps, float dt, float process, float noise)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= tracks) {
        return;
    }
    float x[6] = {}, p[6][6] = {};
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        p[i][i] = 1.0f;
    }
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
        float z[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            z[i] = place[((long long)s * 3 + i) * tracks + id];
            x[i] += dt * x[i + 3];
        }
#pragma unroll
        for (int i = 0; i < 3; ++i) {
#pragma unroll
            for (int j = 0; j < 6; ++j) {
                p[i][j] += dt * p[i + 3][j];
            }
        }
#pragma unroll
        for (int i = 0; i < 6; ++i) {
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                p[i][j] += dt * p[i][j + 3];
            }
            p[i][i] += process;
        }
#pragma unroll
        for (int m = 0; m < 3; ++m) {
            const float inverse = __fdividef(1.0f, p[m][m] + noise), error = z[m] - x[m];
            float gain[6], row[6];
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                gain[i] = p[i][m] * inverse;
                row[i] = p[m][i];
                x[i] += gain[i] * error;
            }
#pragma unroll
            for (int i = 0; i < 6; ++i) {
#pragma unroll
                for (int j = 0; j < 6; ++j) {
                    p[i][j] -= gain[i] * row[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        out[(long long)i * tracks + id] = x[i];
    }
}
