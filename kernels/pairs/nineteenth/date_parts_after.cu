// date_parts_after: dates (year, month and day as decimal digits) of time stamps in microseconds since 1970.
__device__ __forceinline__ long long floor_divide(long long a, long long b)
{
    const long long q = a / b;
    return q - (a % b < 0);
}

// A time stamp a thread.
extern "C" __global__ void __launch_bounds__(256) date_parts_after(int* __restrict__ out, const long long* __restrict__ time, int rows)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= rows) {
        return;
    }
    // Days fit 32 bits, and from the year -2800000 on they are no longer negative.
    const unsigned int day_number = (unsigned int)(floor_divide(time[i], 86400000000ll) + 719468 + 146097ll * 7000);
    const unsigned int era = day_number / 146097;
    const unsigned int of_era = day_number - era * 146097;
    const unsigned int year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned int of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned int march_month = (5 * of_year + 2) / 153;
    const unsigned int day = of_year - (153 * march_month + 2) / 5 + 1;
    const unsigned int month = march_month < 10 ? march_month + 3 : march_month - 9;
    const int year = (int)(year_of_era + era * 400 + (month <= 2)) - 400 * 7000;
    out[i] = year * 10000 + (int)(month * 100 + day);
}
