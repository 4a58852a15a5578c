// rotated_iou_after: overlap of pairs of turned boxes, the first clipped by the sides of the second, a thread to a pair, polygons in shared
// memory, a column a thread.
struct Box {
    float x, y, w, h, angle;
    __device__ __forceinline__ void corners(float2 (&c)[4]) const
    {
        float s, t;
        __sincosf(angle, &s, &t);
        const float ax = 0.5f * w * t, ay = 0.5f * w * s, bx = -0.5f * h * s, by = 0.5f * h * t;
        c[0] = make_float2(x - ax - bx, y - ay - by);
        c[1] = make_float2(x + ax - bx, y + ay - by);
        c[2] = make_float2(x + ax + bx, y + ay + by);
        c[3] = make_float2(x - ax + bx, y - ay + by);
    }
};

constexpr int Most = 10, Threads = 128;

struct Polygon {
    float2 (*point)[Threads];
    int count;
    __device__ __forceinline__ void add(float2 p)
    {
        if (count < Most) {
            point[count++][threadIdx.x] = p;
        }
    }
};

__device__ __forceinline__ void clip(Polygon& to, const Polygon& from, float2 a, float2 b)
{
    to.count = 0;
    for (int i = 0; i < from.count; ++i) {
        const float2 p = from.point[i][threadIdx.x], q = from.point[i + 1 < from.count ? i + 1 : 0][threadIdx.x];
        const float u = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x), v = (b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x);
        if (u >= 0.0f) {
            to.add(p);
        }
        if ((u >= 0.0f) != (v >= 0.0f)) {
            const float t = u / (u - v);
            to.add(make_float2(p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)));
        }
    }
}

extern "C" __global__ void __launch_bounds__(Threads) rotated_iou_after(float* __restrict__ out, const Box* __restrict__ left, const Box* __restrict__ right, int pairs)
{
    const int i = blockIdx.x * Threads + threadIdx.x;
    if (i >= pairs) {
        return;
    }
    const Box a = left[i], b = right[i];
    float2 c[4], d[4];
    a.corners(c);
    b.corners(d);
    __shared__ float2 points[2][Most][Threads];
    Polygon one{points[0], 4}, two{points[1], 0};
    for (int k = 0; k < 4; ++k) {
        one.point[k][threadIdx.x] = c[k];
    }
    clip(two, one, d[0], d[1]);
    clip(one, two, d[1], d[2]);
    clip(two, one, d[2], d[3]);
    clip(one, two, d[3], d[0]);
    float area = 0.0f;
    for (int k = 1; k + 1 < one.count; ++k) {
        const float2 o = one.point[0][threadIdx.x], p = one.point[k][threadIdx.x], q = one.point[k + 1][threadIdx.x];
        area += (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
    }
    area = 0.5f * fabsf(area);
    out[i] = area / (a.w * a.h + b.w * b.h - area);
}
