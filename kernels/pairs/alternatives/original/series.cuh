#pragma once
// Polynomials of degree 31 in double precision, four in a row: by Horner, one chain, then by Estrin, as a tree.
__device__ __forceinline__ constexpr double term(int k) { return 1.0 / (2 * k + 3) * (k % 2 ? -1 : 1); }
__device__ __forceinline__ double horner(double x) {
    double s = term(31);
#pragma unroll
    for (int k = 30; k >= 0; k--) s = s * x + term(k);
    return s;
}
template <int WIDTH> __device__ __forceinline__ double tree(const double (&c)[2 * WIDTH], double x) {
    double half[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; k++) half[k] = c[2 * k + 1] * x + c[2 * k];
    if constexpr (WIDTH == 1) return half[0];
    else return tree<WIDTH / 2>(half, x * x);
}
__device__ __forceinline__ double estrin(double x) {
    double c[32];
#pragma unroll
    for (int k = 0; k < 32; k++) c[k] = term(k);
    return tree<16>(c, x);
}
__global__ void __launch_bounds__(256) series_horner(const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
#pragma unroll 1
    for (int k = 0; k < 4; k++) v = horner(v);
    out[i] = v;
}
__global__ void __launch_bounds__(256) series_estrin(const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
#pragma unroll 1
    for (int k = 0; k < 4; k++) v = estrin(v);
    out[i] = v;
}
