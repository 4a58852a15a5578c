// euler_sweep_wide_2: a step of the Euler equations along y, limited slopes and HLL fluxes, a thread to two cells side by side, which it loads as pairs of floats.
constexpr float gas = 1.4f;

struct Cell {
    float r, u, v, p;
};

struct Flux {
    float r, u, v, e;
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

struct Raw {
    float r, u, v, e;
};

__device__ __forceinline__ Cell cell(const Raw& w)
{
    const float over = 1.0f / w.r, a = w.u * over, b = w.v * over;
    return {w.r, a, b, (gas - 1.0f) * (w.e - 0.5f * w.r * (a * a + b * b))};
}

extern "C" __global__ void __launch_bounds__(128) euler_sweep_wide_2(float* __restrict__ out, const float* __restrict__ density, const float* __restrict__ along, const float* __restrict__ across, const float* __restrict__ total, int width, int height, float ratio)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, pairs = width / 2;
    if (x >= pairs) {
        return;
    }
    const auto two = [&](const float* field, int i) { return reinterpret_cast<const float2*>(field)[i]; };
    Raw w[2][5];
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        const int i = min(max(y + k - 2, 0), height - 1) * pairs + x;
        const float2 r = two(density, i), u = two(along, i), v = two(across, i), e = two(total, i);
        w[0][k] = {r.x, u.x, v.x, e.x};
        w[1][k] = {r.y, u.y, v.y, e.y};
    }
    float to[2][4];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const Cell a = cell(w[h][0]), b = cell(w[h][1]), c = cell(w[h][2]), d = cell(w[h][3]), e = cell(w[h][4]);
        const Flux f = face(a, b, c, d), g = face(b, c, d, e);
        to[h][0] = w[h][2].r - ratio * (g.r - f.r);
        to[h][1] = w[h][2].u - ratio * (g.u - f.u);
        to[h][2] = w[h][2].v - ratio * (g.v - f.v);
        to[h][3] = w[h][2].e - ratio * (g.e - f.e);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        reinterpret_cast<float2*>(out)[(k * height + y) * pairs + x] = make_float2(to[0][k], to[1][k]);
    }
}
