// adi_lines_after: an implicit step along y, tridiagonal systems of a grid by Thomas, a thread to a line, eight cells loaded ahead.
constexpr int Ahead = 8;

struct Line {
    long long at;
    int step;
    __device__ __forceinline__ Line(int x, int z, int nx, int ny) : at((long long)z * ny * nx + x), step(nx) {}
    __device__ __forceinline__ long long operator[](int j) const { return at + (long long)j * step; }
};

struct Row {
    float a, b, c, d;
};

extern "C" __global__ void __launch_bounds__(128) adi_lines_after(float* __restrict__ out, float* __restrict__ ratio, const float* __restrict__ below, const float* __restrict__ centre, const float* __restrict__ above, const float* __restrict__ right, int nx, int ny)
{
    const int x = blockIdx.x * 128 + threadIdx.x;
    if (x >= nx) {
        return;
    }
    const Line line(x, blockIdx.y, nx, ny);
    Row row[Ahead];
    const auto load = [&](int j) {
        const long long i = line[min(j, ny - 1)];
        return Row{below[i], centre[i], above[i], right[i]};
    };
#pragma unroll
    for (int k = 0; k < Ahead; ++k) {
        row[k] = load(k);
    }
    float c = 0.0f, d = 0.0f;
    for (int j = 0; j < ny; j += Ahead) {
#pragma unroll
        for (int k = 0; k < Ahead; ++k) {
            const Row r = row[k];
            row[k] = load(j + Ahead + k);
            if (j + k < ny) {
                const float m = 1.0f / (r.b - r.a * c);
                c = r.c * m;
                d = (r.d - r.a * d) * m;
                ratio[line[j + k]] = c;
                out[line[j + k]] = d;
            }
        }
    }
    float2 back[Ahead];
    const auto again = [&](int j) {
        const long long i = line[max(j, 0)];
        return make_float2(out[i], ratio[i]);
    };
#pragma unroll
    for (int k = 0; k < Ahead; ++k) {
        back[k] = again(ny - 2 - k);
    }
    for (int j = ny - 2; j >= 0; j -= Ahead) {
#pragma unroll
        for (int k = 0; k < Ahead; ++k) {
            const float2 b = back[k];
            back[k] = again(j - Ahead - k);
            if (j - k >= 0) {
                d = b.x - b.y * d;
                out[line[j - k]] = d;
            }
        }
    }
}
