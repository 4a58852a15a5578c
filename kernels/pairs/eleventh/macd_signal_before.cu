// macd_signal_before: difference of a fast and a slow moving average less its own average, a thread to an instrument, day after day.
extern "C" __global__ void __launch_bounds__(128) macd_signal_before(float* out, const float* price, int instruments, int days)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= instruments) {
        return;
    }
    float fast = price[i], slow = fast, signal = 0.0f;
    for (int day = 0; day < days; ++day) {
        const float p = price[(long long)day * instruments + i];
        fast += (p - fast) * (2.0f / 13.0f);
        slow += (p - slow) * (2.0f / 27.0f);
        const float macd = fast - slow;
        signal += (macd - signal) * (2.0f / 10.0f);
        out[(long long)day * instruments + i] = macd - signal;
    }
}
