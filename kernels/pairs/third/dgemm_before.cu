// dgemm_before: C = A B in double precision by DFMA, tiles of 64 x 64 x 16, 4 x 4 to a thread, next tile in registers.
extern "C" __global__ void __launch_bounds__(256) dgemm_before(double* c, const double* __restrict__ a, const double* __restrict__ b, int n, int k)
{
    __shared__ __align__(16) double as[16][66], bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const double* ap = a + (long long)(blockIdx.y * 64 + t / 4) * k + t % 4 * 4;
    const double* bp = b + (long long)(t / 16) * n + blockIdx.x * 64 + t % 16 * 4;
    double sum[4][4] = {};
    double2 x[2] = {*reinterpret_cast<const double2*>(ap), *reinterpret_cast<const double2*>(ap + 2)};
    double2 y[2] = {*reinterpret_cast<const double2*>(bp), *reinterpret_cast<const double2*>(bp + 2)};
    for (int base = 0; base < k; base += 16) {
        __syncthreads();
        as[t % 4 * 4][t / 4] = x[0].x, as[t % 4 * 4 + 1][t / 4] = x[0].y, as[t % 4 * 4 + 2][t / 4] = x[1].x, as[t % 4 * 4 + 3][t / 4] = x[1].y;
        *reinterpret_cast<double2*>(&bs[t / 16][t % 16 * 4]) = y[0];
        *reinterpret_cast<double2*>(&bs[t / 16][t % 16 * 4 + 2]) = y[1];
        __syncthreads();
        if (base + 16 < k) {
            ap += 16, bp += 16ll * n;
            x[0] = *reinterpret_cast<const double2*>(ap), x[1] = *reinterpret_cast<const double2*>(ap + 2);
            y[0] = *reinterpret_cast<const double2*>(bp), y[1] = *reinterpret_cast<const double2*>(bp + 2);
        }
#pragma unroll
        for (int kk = 0; kk < 16; ++kk) {
            double u[4], v[4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                *reinterpret_cast<double2*>(&u[i * 2]) = *reinterpret_cast<const double2*>(&as[kk][ty * 4 + i * 2]);
                *reinterpret_cast<double2*>(&v[i * 2]) = *reinterpret_cast<const double2*>(&bs[kk][i * 32 + tx * 2]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] += u[i] * v[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        double* p = c + (long long)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 2;
        *reinterpret_cast<double2*>(p) = make_double2(sum[i][0], sum[i][1]);
        *reinterpret_cast<double2*>(p + 32) = make_double2(sum[i][2], sum[i][3]);
    }
}
