#!/usr/bin/env bash
# Compiles the variants, checks each against before, and times before, the change that was made and the variants in turn, in two rounds.
#
#   OUT=FOLDER kernels/pairs/alternatives/ninth_tenth/run.sh
#
# AUDIT names the binary, default: audit on PATH. Writes cubins and what --check and --time say to $OUT, the rows of the two programs to
# $OUT/programs.tsv.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/out}
mkdir -p "$out"
out=$(cd "$out" && pwd)
export audit=${AUDIT:-audit} out
cd "$here" || exit 2
programs='plane_waves_constant relax_edges_sorted'
own=$(sed -n 's/^name = "\(.*\)"$/.\/\1/p' audit.toml)
ninth='plane_waves_before plane_waves_after maps_a maps_b bytemul_a bytemul_b merge_lists_before merge_lists_after'
tenth='euler_sweep_before euler_sweep_after csr_rows_before csr_rows_after nv12_rgb_before nv12_rgb_after fan_backproject_before fan_backproject_after'
all="$(printf '../../ninth/%s\n' $ninth) $(printf '../../tenth/%s\n' $tenth) $own"
compile() { nvcc -arch=sm_90a -cubin -O3 -lineinfo -o "$out/$(basename "$1").cubin" "$1.cu" || echo "$1: not compiled"; }
check() { "$audit" launch "$1" --check --cubin "$out/$1.cubin" --json-to "$out/$1.check.json" >"$out/$1.check.log" 2>&1 || echo "$1: not as before"; }
export -f compile check
printf '%s\n' $all | xargs -P 8 -I{} bash -c 'compile {}'
for program in $programs; do nvcc -arch=sm_90a -O3 -std=c++17 -lineinfo -o "$out/$program" "$program.cu"; done
printf '%s\n' $own | xargs -n 1 basename | xargs -P 4 -I{} bash -c 'check {}'
for round in 1 2; do
    for pair in plane_waves euler_sweep csr_rows nv12_rgb fan_backproject maps bytemul merge_lists; do
        for one in $all; do
            name=$(basename "$one")
            [[ $name == "$pair"_* ]] || continue
            "$audit" launch "$name" --config "$(dirname "$one")/audit.toml" --time --samples 40 --cubin "$out/$name.cubin" --json-to "$out/$name.time$round.json" >"$out/$name.time$round.log" 2>&1 || echo "$name: not timed"
        done
    done
done
: >"$out/programs.tsv"
for program in $programs; do "$out/$program" >>"$out/programs.tsv"; done
