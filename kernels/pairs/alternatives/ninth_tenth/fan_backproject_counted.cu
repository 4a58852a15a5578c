// fan_backproject_counted: image from the filtered views of a fan beam, a thread to a pixel, the view counted in floats, no cell turned back into a float.
extern "C" __global__ void __launch_bounds__(256) fan_backproject_counted(float* __restrict__ out, const float* __restrict__ view, int size, int views, int cells, float step, float distance)
{
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    if (i >= size || j >= size) {
        return;
    }
    const float x = i - 0.5f * (size - 1), y = j - 0.5f * (size - 1), middle = 0.5f * (cells - 1);
    float sum = 0.0f, counted = 0.0f;
    for (int v = 0; v < views; ++v, counted += 1.0f) {
        float s, c;
        sincosf(counted * step, &s, &c);
        const float scale = __fdividef(distance, distance + x * s - y * c), place = scale * (x * c + y * s) + middle;
        const float below = floorf(place);
        const int cell = below;
        if (cell >= 0 && cell < cells - 1) {
            const float* row = view + v * cells + cell;
            sum += scale * scale * (row[0] + (place - below) * (row[1] - row[0]));
        }
    }
    out[j * size + i] = sum * step;
}
