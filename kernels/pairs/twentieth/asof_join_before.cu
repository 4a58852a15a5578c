// asof_join_before: for each trade the bid of the last quote that is not later; trades and quotes are sorted by time.
// A trade a thread; the first quote is at time 0.
extern "C" __global__ void __launch_bounds__(256) asof_join_before(int* __restrict__ out, const unsigned int* __restrict__ trade_time, const unsigned int* __restrict__ quote_time, const int* __restrict__ bid, int trades, int quotes)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= trades) {
        return;
    }
    const unsigned int time = trade_time[i];
    int low = 0, high = quotes;
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
