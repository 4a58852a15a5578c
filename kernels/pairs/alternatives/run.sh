#!/usr/bin/env bash
# Builds every pair (16 at a time), then checks and times before, the change that was made, and what the first row of Next asks for.
#
#   OUT=FOLDER kernels/pairs/alternatives/run.sh [PAIR]...
#
# Writes $OUT/alternatives.tsv, $OUT/build.log and $OUT/run.log. A pair that does not build or run leaves a row that says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/out}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
cd "$here"
# Those that gained first; a run that is cut short has them.
first='axpy softmax dot pack gelu sgemm_prefetch ragged block_turnover lookup gemv_bf16_wide luminance table_hints quads moments nearest walk buckets mma_stages mma_wgmma'
second='gather_index heat lists raster counts_copies stream_occupancy pitch backwards gather_ahead hadamard smooth clenshaw probe tally product series fp32_stages wgmma_tiles'
pairs=${*:-$first $second}
{ date; nvcc --version | tail -2; nvidia-smi -L; } >"$out/build.log" 2>&1
# The slow ones to build first.
build() {
    nvcc -gencode arch=compute_90a,code=sm_90a -O3 -std=c++17 -lineinfo -o "$2/$1" "$1.cu" >"$2/$1.log" 2>&1 || rm -f "$2/$1"
}
export -f build
printf '%s\n' $pairs | awk '{ print (/mma|fp32/ ? 0 : 1), $1 }' | sort -s -k1,1n | cut -d' ' -f2 | xargs -P 16 -I{} timeout 240 bash -c 'build {} '"$work"
for pair in $pairs; do
    [[ -s $work/$pair.log || ! -x $work/$pair ]] && { echo "== $pair"; cat "$work/$pair.log"; } >>"$out/build.log"
done
echo "built in $SECONDS s" >>"$out/build.log"
printf 'pair\tvariant\taction\tms_before\tms_variant\tmax_rel_diff\tok\n' >"$out/alternatives.tsv"
: >"$out/run.log"
for pair in $pairs; do
    if [[ ! -x $work/$pair ]]; then printf '%s\t-\t-\t-1\t-1\t-1\tnot built\n' "$pair" >>"$out/alternatives.tsv"; continue; fi
    if ((SECONDS > 400)); then printf '%s\t-\t-\t-1\t-1\t-1\tno time left\n' "$pair" >>"$out/alternatives.tsv"; continue; fi
    skip=()
    for turn in 1 2 3 4 5; do
        timeout 45 "$work/$pair" ${skip[@]+"${skip[@]}"} >"$work/rows" 2>"$work/errors"
        rc=$?
        cat "$work/rows" >>"$out/alternatives.tsv"
        [[ $rc == 0 ]] && break
        { echo "== $pair: status $rc"; cat "$work/errors"; } >>"$out/run.log"
        lost=$(sed -n 's/^FAILED //p' "$work/errors" | head -1)
        # A version that broke the device is left out, and the others are run again.
        [[ -z $lost ]] && { printf '%s\t-\t-\t-1\t-1\t-1\tstatus %s\n' "$pair" "$rc" >>"$out/alternatives.tsv"; break; }
        skip+=(--skip "$lost")
    done
done
echo "run in $SECONDS s" >>"$out/run.log"
rm -rf "$work"
column -t -s $'\t' "$out/alternatives.tsv" 2>/dev/null || cat "$out/alternatives.tsv"
