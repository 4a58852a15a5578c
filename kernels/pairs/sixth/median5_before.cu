// median5_before: median of the pixels of a window, a thread to a pixel, values sorted by insertion in an array.
extern "C" __global__ void __launch_bounds__(256) median5_before(float* out, const float* __restrict__ in, int width, int pitch, int size)
{
    const int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    float value[49];
    int count = 0;
    for (int dy = 0; dy < size; ++dy) {
        for (int dx = 0; dx < size; ++dx) {
            const float v = in[(y + dy) * pitch + x + dx];
            int at = count++;
            while (at > 0 && value[at - 1] > v) {
                value[at] = value[at - 1];
                --at;
            }
            value[at] = v;
        }
    }
    out[y * width + x] = value[count / 2];
}
