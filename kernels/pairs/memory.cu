// Pairs on how memory is reached. Stated in stated.toml before they were measured.
#include "pair.cuh"

// A row a thread, then a row a warp.
__global__ void rowsum_thread(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++) s += x[(size_t)r * cols + c];
    out[r] = s;
}
__global__ void rowsum_warp(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += x[(size_t)r * cols + c];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) out[r] = s;
}

// Two fields of particles in structures of eight floats, then in arrays of their own.
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void kinetic_structs(const Particle* __restrict__ p, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * p[i].mass * p[i].vx * p[i].vx;
}
__global__ void kinetic_arrays(const float* __restrict__ mass, const float* __restrict__ vx, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * mass[i] * vx[i] * vx[i];
}

// y = a x + y by floats, then by float4.
__global__ void axpy_scalar(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.5f * x[i] + y[i];
}
__global__ void axpy_vector(const float4* __restrict__ x, float4* __restrict__ y, float4* __restrict__ out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 a = x[i], b = y[i];
    out[i] = make_float4(2.5f * a.x + b.x, 2.5f * a.y + b.y, 2.5f * a.z + b.z, 2.5f * a.w + b.w);
}

// A gather by 64-bit indices, then by 32-bit ones.
__global__ void gather_wide_index(const float* __restrict__ x, const long long* __restrict__ idx, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[idx[i]];
}
__global__ void gather_narrow_index(const float* __restrict__ x, const int* __restrict__ idx, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[idx[i]];
}

// Softmax of a row of 4,096: three passes over global memory, then one with the row in registers.
__device__ float block_reduce(float v, bool take_max, float* shared) {
    for (int d = 16; d; d >>= 1) { float o = __shfl_xor_sync(~0u, v, d); v = take_max ? fmaxf(v, o) : v + o; }
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = shared[threadIdx.x % (blockDim.x / 32)];
    for (int d = blockDim.x / 64; d; d >>= 1) { float o = __shfl_xor_sync(~0u, v, d); v = take_max ? fmaxf(v, o) : v + o; }
    __syncthreads();
    return v;
}
__global__ void softmax_passes(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float shared[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float m = -1e30f, s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    m = block_reduce(m, true, shared);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(row[c] - m);
    s = block_reduce(s, false, shared);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[(size_t)blockIdx.x * cols + c] = __expf(row[c] - m) / s;
}
__global__ void softmax_registers(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float shared[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float v[16], m = -1e30f, s = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) { v[i] = row[threadIdx.x + i * 256]; m = fmaxf(m, v[i]); }
    m = block_reduce(m, true, shared);
#pragma unroll
    for (int i = 0; i < 16; i++) { v[i] = __expf(v[i] - m); s += v[i]; }
    s = 1.0f / block_reduce(s, false, shared);
#pragma unroll
    for (int i = 0; i < 16; i++) out[(size_t)blockIdx.x * cols + threadIdx.x + i * 256] = v[i] * s;
}

// A 7-point stencil through L1, then with planes in shared memory.
constexpr int NX = 512, NY = 512, NZ = 256;
__global__ void heat_cached(const float* __restrict__ a, float* __restrict__ b) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1) return;
    for (int z = 1; z < NZ - 1; z++) {
        size_t i = ((size_t)z * NY + y) * NX + x;
        b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - NX] + a[i + NX] + a[i - NX * NY] + a[i + NX * NY]);
    }
}
__global__ void heat_tiled(const float* __restrict__ a, float* __restrict__ b) {
    __shared__ float tile[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    size_t i = ((size_t)NY + y) * NX + x;
    float below = a[i - NX * NY], here = a[i];
    bool inner = x >= 1 && x < NX - 1 && y >= 1 && y < NY - 1;
    for (int z = 1; z < NZ - 1; z++, i += NX * NY) {
        float above = a[i + NX * NY];
        tile[ty][tx] = here;
        if (tx == 1 && x > 0) tile[ty][0] = a[i - 1];
        if (tx == 32 && x < NX - 1) tile[ty][33] = a[i + 1];
        if (ty == 1 && y > 0) tile[0][tx] = a[i - NX];
        if (ty == 8 && y < NY - 1) tile[9][tx] = a[i + NX];
        __syncthreads();
        if (inner) b[i] = 0.4f * here + 0.1f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above);
        __syncthreads();
        below = here; here = above;
    }
}

// One load in flight a thread on a small grid, then eight.
__global__ void dot_single(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    float s = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void dot_eight(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    float s = 0;
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * step) {
        float a[8], b[8];
#pragma unroll
        for (int k = 0; k < 8; k++) { a[k] = x[i + k * step]; b[k] = y[i + k * step]; }
#pragma unroll
        for (int k = 0; k < 8; k++) s += a[k] * b[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// A walk through lists: the next index is loaded when it is needed, then four walks a thread.
__global__ void lists_one(const uint32_t* __restrict__ next, const float* __restrict__ value, float* __restrict__ out, int lists, int steps) {
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= lists) return;
    uint32_t at = l * 97u;
    float s = 0;
    for (int k = 0; k < steps; k++) { s += value[at]; at = next[at]; }
    out[l] = s;
}
__global__ void lists_four(const uint32_t* __restrict__ next, const float* __restrict__ value, float* __restrict__ out, int lists, int steps) {
    int quarter = lists / 4, l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= quarter) return;
    uint32_t at[4]; float s[4] = {};
#pragma unroll
    for (int j = 0; j < 4; j++) at[j] = (l + j * quarter) * 97u;
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int j = 0; j < 4; j++) { s[j] += value[at[j]]; at[j] = next[at[j]]; }
#pragma unroll
    for (int j = 0; j < 4; j++) out[l + j * quarter] = s[j];
}

// Pixels of four bytes written a byte at a time, then as one word.
__global__ void pack_bytes(const float* __restrict__ in, unsigned char* __restrict__ out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    for (int c = 0; c < 4; c++) out[4 * (size_t)i + c] = (unsigned char)(in[i] * (60 + c));
}
__global__ void pack_words(const float* __restrict__ in, uchar4* __restrict__ out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    float v = in[i];
    out[i] = make_uchar4((unsigned char)(v * 60), (unsigned char)(v * 61), (unsigned char)(v * 62), (unsigned char)(v * 63));
}

// Tiles of a matrix in row order, then in strips of eight columns of tiles, so that what L2 holds is used again.
__device__ __forceinline__ void product_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n, int tx, int ty) {
    __shared__ float sa[16][65], sb[16][64];
    int t = threadIdx.x, r = (t / 16) * 4, c = (t % 16) * 4;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            sa[i % 16][i / 16] = a[(size_t)(ty * 64 + i / 16) * n + k0 + i % 16];
            sb[i / 64][i % 64] = b[(size_t)(k0 + i / 64) * n + tx * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += sa[k][r + i] * sb[k][c + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[(size_t)(ty * 64 + r + i) * n + tx * 64 + c + j] = acc[i][j];
}
__global__ void products_rows(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    product_tile(a, b, out, n, blockIdx.x % (n / 64), blockIdx.x / (n / 64));
}
__global__ void products_strips(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    int per = 8 * (n / 64), s = blockIdx.x / per, in = blockIdx.x % per;
    product_tile(a, b, out, n, s * 8 + in % 8, in / 8);
}

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(2 * n), *y = p.make<float>(n), *out = p.make<float>(2 * n);
    uint32_t* idx = p.make<uint32_t>(n);
    auto two = [&](uint32_t s) { p.uniform(x, 2 * n, s); p.uniform(y, n, s + 10); };
    p.run("rowsum", out, 16384, 1, two, [&] { rowsum_thread<<<16384 / 128, 128>>>(x, out, 16384, 2048); }, [&] { rowsum_warp<<<16384 / 8, 256>>>(x, out, 16384, 2048); });
    {
        const int count = 4 << 20; Particle* structs = (Particle*)x; float *mass = p.make<float>(count), *vx = p.make<float>(count);
        auto fill = [&](uint32_t s) {
            two(s);
            CK(cudaMemcpy2D(mass, 4, (char*)structs + 24, 32, 4, count, cudaMemcpyDeviceToDevice));
            CK(cudaMemcpy2D(vx, 4, (char*)structs + 12, 32, 4, count, cudaMemcpyDeviceToDevice));
        };
        p.run("kinetic", out, count, 1e-3f, fill, [&] { kinetic_structs<<<count / 256, 256>>>(structs, out, count); }, [&] { kinetic_arrays<<<count / 256, 256>>>(mass, vx, out, count); });
    }
    p.run("axpy", out, n, 1e-3f, two, [&] { axpy_scalar<<<n / 256, 256>>>(x, y, out, n); }, [&] { axpy_vector<<<n / 1024, 256>>>((float4*)x, (float4*)y, (float4*)out, n / 4); });
    {
        const int count = 16 << 20; long long* wide = p.make<long long>(count);
        auto fill = [&](uint32_t s) { two(s); p.integers(idx, count, s, 1u << 20); CK(cudaMemset(wide, 0, count * 8ull)); CK(cudaMemcpy2D(wide, 8, idx, 4, 4, count, cudaMemcpyDeviceToDevice)); };
        p.run("gather_index", out, count, 1e-3f, fill, [&] { gather_wide_index<<<count / 256, 256>>>(x, wide, out, count); }, [&] { gather_narrow_index<<<count / 256, 256>>>(x, (int*)idx, out, count); });
    }
    p.run("softmax", out, n, 1e-6f, two, [&] { softmax_passes<<<n / 4096, 256>>>(x, out, 4096); }, [&] { softmax_registers<<<n / 4096, 256>>>(x, out, 4096); });
    {
        size_t cells = (size_t)NX * NY * NZ; float *a = p.make<float>(cells), *b = p.make<float>(cells);
        p.run("heat", b, cells, 1, [&](uint32_t s) { p.uniform(a, cells, s); }, [&] { heat_cached<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(a, b); }, [&] { heat_tiled<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(a, b); }, [&] { CK(cudaMemset(b, 0, cells * 4)); });
        CK(cudaFree(a)); CK(cudaFree(b));
    }
    p.run("dot", out, 132 * 256, 1, two, [&] { dot_single<<<128, 256>>>(x, y, out, n); }, [&] { dot_eight<<<128, 256>>>(x, y, out, n); }, [&] { CK(cudaMemset(out, 0, 132 * 256 * 4)); });
    {
        const int lists = 1 << 16;
        p.run("lists", out, lists, 1, [&](uint32_t s) { two(s); p.integers(idx, 8 << 20, s, 8 << 20); }, [&] { lists_one<<<lists / 128, 128>>>(idx, x, out, lists, 64); }, [&] { lists_four<<<lists / 512, 128>>>(idx, x, out, lists, 64); });
    }
    p.run("pack", out, n / 2, 1e-3f, [&](uint32_t s) { p.uniform(x, 2 * n, s, 0, 1); }, [&] { pack_bytes<<<n / 512, 256>>>(x, (unsigned char*)out, n / 2); }, [&] { pack_words<<<n / 512, 256>>>(x, (uchar4*)out, n / 2); });
    p.run("raster", out, 4096u * 4096u, 1, two, [&] { products_rows<<<4096, 256>>>(x, y, out, 4096); }, [&] { products_strips<<<4096, 256>>>(x, y, out, 4096); });
}
