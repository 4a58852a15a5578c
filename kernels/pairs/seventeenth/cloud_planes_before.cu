// cloud_planes_before: how flat a cloud of points is around each of its points: the least moment by Jacobi's method.
// Turns rows and columns p and q so that a[p][q] becomes zero; r is the third.
__device__ __forceinline__ void turn(float (&a)[3][3], int p, int q)
{
    const int r = 3 - p - q;
    const float off = a[p][q];
    if (fabsf(off) < 1e-12f) {
        return;
    }
    const float theta = 0.5f * (a[q][q] - a[p][p]) / off;
    const float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
    const float c = rsqrtf(t * t + 1.0f), s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = a[q][p] = 0.0f;
    const float x = a[r][p], y = a[r][q];
    a[r][p] = a[p][r] = c * x - s * y;
    a[r][q] = a[q][r] = s * x + c * y;
}

// A point a thread.
extern "C" __global__ void __launch_bounds__(256) cloud_planes_before(float* __restrict__ least, float* __restrict__ variation, const float* __restrict__ moment, int points)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= points) {
        return;
    }
    float a[3][3];
    a[0][0] = moment[i];
    a[1][1] = moment[points + i];
    a[2][2] = moment[2 * points + i];
    a[0][1] = a[1][0] = moment[3 * points + i];
    a[0][2] = a[2][0] = moment[4 * points + i];
    a[1][2] = a[2][1] = moment[5 * points + i];
    for (int k = 0; k < 10; ++k) {
        int p = 0, q = 1;
        for (int row = 0; row < 2; ++row) {
            for (int column = row + 1; column < 3; ++column) {
                if (fabsf(a[row][column]) > fabsf(a[p][q])) {
                    p = row;
                    q = column;
                }
            }
        }
        turn(a, p, q);
    }
    const float low = fminf(a[0][0], fminf(a[1][1], a[2][2]));
    least[i] = low;
    variation[i] = low / (a[0][0] + a[1][1] + a[2][2]);
}
