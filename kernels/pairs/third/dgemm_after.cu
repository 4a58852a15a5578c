// dgemm_after: C = A B in double precision by mma.sync (DMMA), tiles of 64 x 64 x 16, 32 x 32 to a warp, next tile in registers.
__device__ __forceinline__ void multiply(double (&d)[4], const double (&a)[4], const double (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

extern "C" __global__ void __launch_bounds__(128) dgemm_after(double* c, const double* __restrict__ a, const double* __restrict__ b, int n, int k)
{
    __shared__ __align__(16) double as[64][20], bs[16][68];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, row = warp / 2 * 32, column = warp % 2 * 32, g = lane / 4, q = lane % 4;
    const double* ap = a + (long long)(blockIdx.y * 64 + t / 8) * k + t % 8 * 2;
    const double* bp = b + (long long)(t / 32) * n + blockIdx.x * 64 + t % 32 * 2;
    double sum[2][4][4] = {};
    double2 x[4], y[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        x[i] = *reinterpret_cast<const double2*>(ap + (long long)i * 16 * k);
        y[i] = *reinterpret_cast<const double2*>(bp + (long long)i * 4 * n);
    }
    for (int base = 0; base < k; base += 16) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            *reinterpret_cast<double2*>(&as[t / 8 + i * 16][t % 8 * 2]) = x[i];
            *reinterpret_cast<double2*>(&bs[t / 32 + i * 4][t % 32 * 2]) = y[i];
        }
        __syncthreads();
        if (base + 16 < k) {
            ap += 16, bp += 16ll * n;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                x[i] = *reinterpret_cast<const double2*>(ap + (long long)i * 16 * k);
                y[i] = *reinterpret_cast<const double2*>(bp + (long long)i * 4 * n);
            }
        }
#pragma unroll
        for (int kk = 0; kk < 16; kk += 8) {
            double u[2][4], v[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    u[i][e] = as[row + i * 16 + g + e % 2 * 8][kk + q + e / 2 * 4];
                }
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                v[j][0] = bs[kk + q][column + j * 8 + g];
                v[j][1] = bs[kk + q + 4][column + j * 8 + g];
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    multiply(sum[i][j], u[i], v[j]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            double* p = c + (long long)(blockIdx.y * 64 + row + i * 16 + g) * n + blockIdx.x * 64 + column + j * 8 + q * 2;
            *reinterpret_cast<double2*>(p) = make_double2(sum[i][j][0], sum[i][j][1]);
            *reinterpret_cast<double2*>(p + 8ll * n) = make_double2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
