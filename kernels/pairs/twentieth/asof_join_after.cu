// asof_join_after: for each trade the bid of the last quote that is not later; trades and quotes are sorted by time.
// The place of a key, found by a warp that asks at 32 places at once.
__device__ __forceinline__ int warp_search(const unsigned int* __restrict__ quote_time, int quotes, unsigned int time, int lane)
{
    int low = 0, high = quotes;
    while (high - low > 1) {
        const int step = (high - low + 31) / 32;
        const int place = low + lane * step;
        const bool not_later = place < high && quote_time[place] <= time;
        const int found = __popc(__ballot_sync(0xffffffffu, not_later)) - 1;
        low += found * step;
        high = min(low + step, high);
    }
    return low;
}

// A trade a thread; a block first finds the quotes of its first and of its last trade.
extern "C" __global__ void __launch_bounds__(256) asof_join_after(int* __restrict__ out, const unsigned int* __restrict__ trade_time, const unsigned int* __restrict__ quote_time, const int* __restrict__ bid, int trades, int quotes)
{
    __shared__ int range[2];
    const int first = blockIdx.x * 256, last = min(first + 255, trades - 1);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 2) {
        const int place = warp_search(quote_time, quotes, trade_time[warp == 0 ? first : last], lane);
        if (lane == 0) {
            range[warp] = place;
        }
    }
    const int i = first + threadIdx.x;
    const unsigned int time = i < trades ? trade_time[i] : 0;
    __syncthreads();
    if (i >= trades) {
        return;
    }
    int low = range[0], high = range[1] + 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (quote_time[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    out[i] = bid[low];
}
