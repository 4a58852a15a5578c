// Pairs on what is executed. Stated in stated.toml before they were measured.
#include "pair.cuh"

// Literals of type double in a kernel of floats, then of type float.
__global__ void gelu_doubles(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    out[i] = 0.5 * v * (1.0 + tanhf(0.7978845608 * (v + 0.044715 * v * v * v)));
}
__global__ void gelu_floats(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

// A permutation of axes whose index is taken apart by divisions, then by a grid of three dimensions.
__global__ void permute_divide(const float* __restrict__ in, float* __restrict__ out, int b, int h, int t, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b * h * t * d) return;
    int e = i % d, r = i / d, head = r % h, s = (r / h) % t, batch = r / h / t;
    out[((batch * h + head) * t + s) * d + e] = in[i];
}
__global__ void permute_grid(const float* __restrict__ in, float* __restrict__ out, int h, int t, int d) {
    int head = blockIdx.x, batch = blockIdx.z;
    for (int s = blockIdx.y * blockDim.y + threadIdx.y; s < t; s += gridDim.y * blockDim.y)
        out[((size_t)(batch * h + head) * t + s) * d + threadIdx.x] = in[((size_t)(batch * t + s) * h + head) * d + threadIdx.x];
}

// A long series of powers and exponentials: powf and expf, then products and __expf.
__global__ void lens_exact(const float* __restrict__ x, float* __restrict__ out, int n, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s = 0;
    for (int k = 1; k <= terms; k++) s += expf(-v * k) / (1.0f + powf(v, 2.0f));
    out[i] = s;
}
__global__ void lens_fast(const float* __restrict__ x, float* __restrict__ out, int n, int terms) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s = 0, r = 1.0f / (1.0f + v * v);
    for (int k = 1; k <= terms; k++) s += __expf(-v * k) * r;
    out[i] = s;
}

// A local array with an index that the data choose, then selects.
__global__ void smallest_local(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[16];
    for (int k = 0; k < 16; k++) v[k] = x[(size_t)k * n + i];
    float s = 0;
#pragma unroll 1
    for (int round = 0; round < 8; round++) {
        int at = 0;
#pragma unroll 1
        for (int k = 1; k < 16; k++) if (v[k] < v[at]) at = k;
        s += v[at] * (round + 1);
        v[at] = 2.0f;
    }
    out[i] = s;
}
__global__ void smallest_select(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[16];
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = x[(size_t)k * n + i];
    float s = 0;
    for (int round = 0; round < 8; round++) {
        float m = v[0];
#pragma unroll
        for (int k = 1; k < 16; k++) m = fminf(m, v[k]);
        bool taken = false;
#pragma unroll
        for (int k = 0; k < 16; k++) { bool here = !taken && v[k] == m; taken |= here; v[k] = here ? 2.0f : v[k]; }
        s += m * (round + 1);
    }
    out[i] = s;
}

// A filter of 31 taps, one output a thread, then eight.
__constant__ float TAPS[31];
__global__ void filter_one(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 31; k++) s += TAPS[k] * x[i + k];
    out[i] = s;
}
__global__ void filter_eight(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float v[40], s[8] = {};
#pragma unroll
    for (int k = 0; k < 10; k++) *(float4*)(v + 4 * k) = *(const float4*)(x + i + 4 * k);
#pragma unroll
    for (int k = 0; k < 31; k++)
#pragma unroll
        for (int j = 0; j < 8; j++) s[j] += TAPS[k] * v[j + k];
    *(float4*)(out + i) = make_float4(s[0], s[1], s[2], s[3]);
    *(float4*)(out + i + 4) = make_float4(s[4], s[5], s[6], s[7]);
}

// SGEMM with one output a thread, then a tile of 4 x 4 in registers, then the next tile loaded while this one is used.
__global__ void sgemm_one(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float sa[32][32], sb[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float s = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        sa[y][x] = a[(size_t)row * n + k0 + x];
        sb[y][x] = b[(size_t)(k0 + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) s += sa[y][k] * sb[k][x];
        __syncthreads();
    }
    c[(size_t)row * n + col] = s;
}
__global__ void sgemm_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float sa[16][68], sb[16][64];
    int t = threadIdx.x, ty = blockIdx.y * 64, tx = blockIdx.x * 64, r = (t / 16) * 4, q = (t % 16) * 4;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 va = *(const float4*)&a[(size_t)(ty + t / 4) * n + k0 + (t % 4) * 4];
        float4 vb = *(const float4*)&b[(size_t)(k0 + t / 16) * n + tx + q];
        __syncthreads();
        sa[(t % 4) * 4][t / 4] = va.x; sa[(t % 4) * 4 + 1][t / 4] = va.y; sa[(t % 4) * 4 + 2][t / 4] = va.z; sa[(t % 4) * 4 + 3][t / 4] = va.w;
        *(float4*)&sb[t / 16][q] = vb;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 fa = *(float4*)&sa[k][r], fb = *(float4*)&sb[k][q];
            float u[4] = {fa.x, fa.y, fa.z, fa.w}, w[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += u[i] * w[j];
        }
    }
    for (int i = 0; i < 4; i++) *(float4*)&c[(size_t)(ty + r + i) * n + tx + q] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
__global__ void sgemm_ahead(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float sa[2][16][68], sb[2][16][64];
    int t = threadIdx.x, ty = blockIdx.y * 64, tx = blockIdx.x * 64, r = (t / 16) * 4, q = (t % 16) * 4, stage = 0;
    float acc[4][4] = {};
    float4 va = *(const float4*)&a[(size_t)(ty + t / 4) * n + (t % 4) * 4];
    float4 vb = *(const float4*)&b[(size_t)(t / 16) * n + tx + q];
    for (int k0 = 0; k0 < n; k0 += 16, stage ^= 1) {
        sa[stage][(t % 4) * 4][t / 4] = va.x; sa[stage][(t % 4) * 4 + 1][t / 4] = va.y; sa[stage][(t % 4) * 4 + 2][t / 4] = va.z; sa[stage][(t % 4) * 4 + 3][t / 4] = va.w;
        *(float4*)&sb[stage][t / 16][q] = vb;
        __syncthreads();
        if (k0 + 16 < n) {
            va = *(const float4*)&a[(size_t)(ty + t / 4) * n + k0 + 16 + (t % 4) * 4];
            vb = *(const float4*)&b[(size_t)(k0 + 16 + t / 16) * n + tx + q];
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 fa = *(float4*)&sa[stage][k][r], fb = *(float4*)&sb[stage][k][q];
            float u[4] = {fa.x, fa.y, fa.z, fa.w}, w[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += u[i] * w[j];
        }
    }
    for (int i = 0; i < 4; i++) *(float4*)&c[(size_t)(ty + r + i) * n + tx + q] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Even and odd lanes on two paths, then even and odd warps.
__device__ float path_a(float v, int steps) { for (int k = 0; k < steps; k++) v = v * 1.0001f + __sinf(v); return v; }
__device__ float path_b(float v, int steps) { for (int k = 0; k < steps; k++) v = fabsf(v) * 0.999f + __logf(1.5f + fabsf(v)); return v; }
__global__ void kinds_mixed(const float* __restrict__ x, float* __restrict__ out, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (i & 1) ? path_b(x[i], steps) : path_a(x[i], steps);
}
__global__ void kinds_sorted(const float* __restrict__ x, float* __restrict__ out, int n, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, half = n / 2;
    if (t >= n) return;
    int i = t < half ? 2 * t : 2 * (t - half) + 1;
    out[i] = (i & 1) ? path_b(x[i], steps) : path_a(x[i], steps);
}

// Sums kept in double, then in float with the error carried (Kahan).
__global__ void variance_double(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    double s = 0, q = 0;
    for (int c = lane; c < cols; c += 32) { double v = x[(size_t)r * cols + c]; s += v; q += v * v; }
    for (int d = 16; d; d >>= 1) { s += __shfl_xor_sync(~0u, s, d); q += __shfl_xor_sync(~0u, q, d); }
    if (lane == 0) out[r] = (float)(q / cols - (s / cols) * (s / cols));
}
__global__ void variance_float(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0, q = 0;
    for (int c = lane; c < cols; c += 32) { float v = x[(size_t)r * cols + c]; s += v; q += v * v; }
    for (int d = 16; d; d >>= 1) { s += __shfl_xor_sync(~0u, s, d); q += __shfl_xor_sync(~0u, q, d); }
    if (lane == 0) out[r] = q / cols - (s / cols) * (s / cols);
}

// A table of 64 coefficients from global memory, then from constant memory.
__constant__ float COEFFICIENTS[64];
__global__ void horner_global(const float* __restrict__ x, const float* __restrict__ c, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s = 0;
#pragma unroll 8
    for (int k = 0; k < 64; k++) s = s * v + c[k];
    out[i] = s;
}
__global__ void horner_constant(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s = 0;
#pragma unroll 8
    for (int k = 0; k < 64; k++) s = s * v + COEFFICIENTS[k];
    out[i] = s;
}

// One chain of FFMA a thread, then four independent ones over the same work.
__global__ void chain_one(const float* __restrict__ x, float* __restrict__ out, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < 4; j++) { float v = x[i + j * n]; for (int k = 0; k < steps; k++) v = v * 0.999f + 0.001f; s += v; }
    out[i] = s;
}
__global__ void chain_four(const float* __restrict__ x, float* __restrict__ out, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[4], s = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) v[j] = x[i + j * n];
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int j = 0; j < 4; j++) v[j] = v[j] * 0.999f + 0.001f;
#pragma unroll
    for (int j = 0; j < 4; j++) s += v[j];
    out[i] = s;
}

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n + 1024), *y = p.make<float>(n), *out = p.make<float>(n);
    float taps[64];
    for (int k = 0; k < 64; k++) taps[k] = 0.02f + 0.001f * k;
    float* table = p.make<float>(64);
    CK(cudaMemcpyToSymbol(TAPS, taps, 31 * 4)); CK(cudaMemcpyToSymbol(COEFFICIENTS, taps, 256)); CK(cudaMemcpy(table, taps, 256, cudaMemcpyHostToDevice));
    auto two = [&](uint32_t s) { p.uniform(x, n, s); p.uniform(y, n, s + 10); };
    auto positive = [&](uint32_t s) { p.uniform(x, n, s, 0.1f, 0.9f); };
    p.run("gelu", out, n, 1e-2f, two, [&] { gelu_doubles<<<n / 256, 256>>>(x, out, n); }, [&] { gelu_floats<<<n / 256, 256>>>(x, out, n); });
    p.run("permute", out, 16 * 16 * 2048 * 64, 1e-3f, two, [&] { permute_divide<<<16 * 16 * 2048 * 64 / 256, 256>>>(x, out, 16, 16, 2048, 64); }, [&] { permute_grid<<<dim3(16, 64, 16), dim3(64, 4)>>>(x, out, 16, 2048, 64); });
    p.run("lens", out, 4 << 20, 1e-3f, positive, [&] { lens_exact<<<(4 << 20) / 256, 256>>>(x, out, 4 << 20, 32); }, [&] { lens_fast<<<(4 << 20) / 256, 256>>>(x, out, 4 << 20, 32); });
    p.run("smallest", out, 2 << 20, 1e-2f, two, [&] { smallest_local<<<(2 << 20) / 256, 256>>>(x, out, 2 << 20); }, [&] { smallest_select<<<(2 << 20) / 256, 256>>>(x, out, 2 << 20); });
    p.run("filter", out, n, 1, two, [&] { filter_one<<<n / 256, 256>>>(x, out, n); }, [&] { filter_eight<<<n / 2048, 256>>>(x, out, n); });
    p.run("sgemm_registers", out, 2048 * 2048, 1, two, [&] { sgemm_one<<<dim3(64, 64), dim3(32, 32)>>>(x, y, out, 2048); }, [&] { sgemm_tile<<<dim3(32, 32), 256>>>(x, y, out, 2048); });
    p.run("sgemm_prefetch", out, 2048 * 2048, 1, two, [&] { sgemm_tile<<<dim3(32, 32), 256>>>(x, y, out, 2048); }, [&] { sgemm_ahead<<<dim3(32, 32), 256>>>(x, y, out, 2048); });
    p.run("kinds", out, 8 << 20, 1, two, [&] { kinds_mixed<<<(8 << 20) / 256, 256>>>(x, out, 8 << 20, 64); }, [&] { kinds_sorted<<<(8 << 20) / 256, 256>>>(x, out, 8 << 20, 64); });
    p.run("variance", out, 16384, 1e-2f, two, [&] { variance_double<<<16384 / 8, 256>>>(x, out, 16384, 2048); }, [&] { variance_float<<<16384 / 8, 256>>>(x, out, 16384, 2048); });
    p.run("horner", out, n, 1e-2f, two, [&] { horner_global<<<n / 256, 256>>>(x, table, out, n); }, [&] { horner_constant<<<n / 256, 256>>>(x, out, n); });
    p.run("chains", out, 132 * 128, 1e-2f, two, [&] { chain_one<<<132, 128>>>(x, out, 132 * 128, 4096); }, [&] { chain_four<<<132, 128>>>(x, out, 132 * 128, 4096); });
}
