// euler_sweep_before: a step of the Euler equations along y, limited slopes and HLL fluxes, a thread to a cell, which works out both its faces.
constexpr float gas = 1.4f;

struct Cell {
    float r, u, v, p;
};

struct Flux {
    float r, u, v, e;
};

struct Field {
    const float *r, *u, *v, *e;
    int width, height;
    __device__ __forceinline__ Cell at(int x, int y) const
    {
        const int i = min(max(y, 0), height - 1) * width + x;
        const float over = 1.0f / r[i], a = u[i] * over, b = v[i] * over;
        return {r[i], a, b, (gas - 1.0f) * (e[i] - 0.5f * r[i] * (a * a + b * b))};
    }
};

__device__ __forceinline__ float limited(float a, float b) { return a * b <= 0.0f ? 0.0f : fabsf(a) < fabsf(b) ? a : b; }

__device__ __forceinline__ Cell aside(const Cell& a, const Cell& b, const Cell& c, float side)
{
    return {b.r + side * limited(b.r - a.r, c.r - b.r), b.u + side * limited(b.u - a.u, c.u - b.u), b.v + side * limited(b.v - a.v, c.v - b.v), b.p + side * limited(b.p - a.p, c.p - b.p)};
}

__device__ __forceinline__ float energy(const Cell& c) { return c.p / (gas - 1.0f) + 0.5f * c.r * (c.u * c.u + c.v * c.v); }

__device__ __forceinline__ Flux face(const Cell& a, const Cell& b, const Cell& c, const Cell& d)
{
    const Cell l = aside(a, b, c, 0.5f), r = aside(b, c, d, -0.5f);
    const float cl = sqrtf(gas * l.p / l.r), cr = sqrtf(gas * r.p / r.r), el = energy(l), er = energy(r);
    const float sl = fminf(fminf(l.v - cl, r.v - cr), 0.0f), sr = fmaxf(fmaxf(l.v + cl, r.v + cr), 0.0f), over = 1.0f / (sr - sl);
    const auto blend = [&](float fl, float fr, float ul, float ur) { return (sr * fl - sl * fr + sl * sr * (ur - ul)) * over; };
    return {blend(l.r * l.v, r.r * r.v, l.r, r.r), blend(l.r * l.u * l.v, r.r * r.u * r.v, l.r * l.u, r.r * r.u), blend(l.r * l.v * l.v + l.p, r.r * r.v * r.v + r.p, l.r * l.v, r.r * r.v),
            blend((el + l.p) * l.v, (er + r.p) * r.v, el, er)};
}

extern "C" __global__ void __launch_bounds__(128) euler_sweep_before(float* __restrict__ out, const float* __restrict__ density, const float* __restrict__ along, const float* __restrict__ across, const float* __restrict__ total, int width, int height, float ratio)
{
    const int x = blockIdx.x * 128 + threadIdx.x;
    if (x >= width) {
        return;
    }
    const Field field{density, along, across, total, width, height};
    const auto put = [&](int y, const Flux& f, const Flux& g) {
        const int i = y * width + x, cells = width * height;
        out[i] = density[i] - ratio * (g.r - f.r);
        out[i + cells] = along[i] - ratio * (g.u - f.u);
        out[i + 2 * cells] = across[i] - ratio * (g.v - f.v);
        out[i + 3 * cells] = total[i] - ratio * (g.e - f.e);
    };
    const int y = blockIdx.y;
    const Cell a = field.at(x, y - 2), b = field.at(x, y - 1), c = field.at(x, y), d = field.at(x, y + 1), e = field.at(x, y + 2);
    put(y, face(a, b, c, d), face(b, c, d, e));
}
