// adi_lines_before: an implicit step along y, tridiagonal systems of a grid by Thomas, a thread to a line.
struct Line {
    long long at;
    int step;
    __device__ __forceinline__ Line(int x, int z, int nx, int ny) : at((long long)z * ny * nx + x), step(nx) {}
    __device__ __forceinline__ long long operator[](int j) const { return at + (long long)j * step; }
};

extern "C" __global__ void __launch_bounds__(128) adi_lines_before(float* __restrict__ out, float* __restrict__ ratio, const float* __restrict__ below, const float* __restrict__ centre, const float* __restrict__ above, const float* __restrict__ right, int nx, int ny)
{
    const int x = blockIdx.x * 128 + threadIdx.x;
    if (x >= nx) {
        return;
    }
    const Line line(x, blockIdx.y, nx, ny);
    float c = 0.0f, d = 0.0f;
    for (int j = 0; j < ny; ++j) {
        const long long i = line[j];
        const float m = 1.0f / (centre[i] - below[i] * c);
        c = above[i] * m;
        d = (right[i] - below[i] * d) * m;
        ratio[i] = c;
        out[i] = d;
    }
    for (int j = ny - 2; j >= 0; --j) {
        const long long i = line[j];
        d = out[i] - ratio[i] * d;
        out[i] = d;
    }
}
