// helix_step_after: tracks of charged particles followed through the field of a detector.
// Field along z, weaker away from the axis; midpoint steps of fixed length.
extern "C" __global__ void __launch_bounds__(256) helix_step_after(float* __restrict__ out, const float* __restrict__ place, const float* __restrict__ momentum, float field, float length, int steps, int tracks)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= tracks) {
        return;
    }
    float x = place[i], y = place[tracks + i], z = place[2 * tracks + i];
    float px = momentum[i], py = momentum[tracks + i], pz = momentum[2 * tracks + i];
    const float curl = 0.299792458f * field;
    for (int s = 0; s < steps; ++s) {
        const float h = length / sqrtf(px * px + py * py + pz * pz);
        const float b = curl / (1.0f + 0.02f * (x * x + y * y));
        const float mx = px + 0.5f * h * b * py;
        const float my = py - 0.5f * h * b * px;
        const float hx = x + 0.5f * h * px, hy = y + 0.5f * h * py;
        const float bm = curl / (1.0f + 0.02f * (hx * hx + hy * hy));
        x += h * mx;
        y += h * my;
        z += h * pz;
        px += h * bm * my;
        py -= h * bm * mx;
        const float loss = 1.0f - 1e-4f * h;
        px *= loss;
        py *= loss;
        pz *= loss;
    }
    out[i] = x;
    out[tracks + i] = y;
    out[2 * tracks + i] = z;
    out[3 * tracks + i] = px;
    out[4 * tracks + i] = py;
    out[5 * tracks + i] = pz;
}
