#!/bin/bash
# collect.sh OUT: collects the subjects one after another into OUT/NAME, at most 60 s each (LIMIT=SECONDS for another limit), one line each.
# AUDIT names the binary, default: audit on PATH.
set -u
out=${1:?usage: collect.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")" || exit 2
audit=${AUDIT:-audit}
failed=0
for name in $(sed -n 's/^name = "\(.*\)"$/\1/p' audit.toml); do
    begun=$SECONDS
    timeout --signal=INT --kill-after=10 "${LIMIT:-60}" "$audit" collect "$name" --evidence "$out/$name" > "$out/$name.log" 2>&1 < /dev/null
    rc=$?
    [ $rc -eq 0 ] || failed=$((failed + 1))
    files=$(cd "$out/$name" 2> /dev/null && ls | tr '\n' ' ')
    correct=$([ -f "$out/$name/correctness.json" ] && grep -oE '"(verdict|status|outcome|correct)": *"?[A-Za-z_]+' "$out/$name/correctness.json" | head -1)
    echo "$name rc=$rc $((SECONDS - begun))s ${correct:-} ${files:-nothing}$([ $rc -eq 0 ] || { echo -n '| '; tail -n 1 "$out/$name.log" | cut -c1-160; })"
done
echo "failed: $failed"
exit $((failed > 0))
