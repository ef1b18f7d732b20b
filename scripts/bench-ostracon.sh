#!/usr/bin/env bash
# Measures Ostracon on W1 to W8 (docs/performance.md), each state of the store in a process of its own, and appends JSON
# lines to OUT/ostracon.jsonl. The store is made in OUT/store and removed at the end.
#
#   scripts/bench-ostracon.sh DATA OUT
set -euo pipefail
data=${1:?usage: bench-ostracon.sh DATA OUT}
out=${2:?usage: bench-ostracon.sh DATA OUT}
if [ ! -s "$data/lineitem.csv" ] || [ ! -s "$data/cols/points.bin" ]; then
    echo "$data holds no lineitem.csv or no cols/points.bin: run scripts/bench-data.sh $data first" >&2
    exit 1
fi
mkdir -p "$out"
data=$(cd "$data" && pwd)
out=$(cd "$out" && pwd)
results=$out/ostracon.jsonl
rm -rf "$out/store" "$out/store-arrow"
: > "$results"

cargo bench --locked -p ostracon --bench peers --no-run
peers() {
    cargo bench --quiet --locked -p ostracon --bench peers -- --data "$data" "$@" | tee -a "$results"
}
peers --store "$out/store" load compact
peers --store "$out/store" scans keys
peers --store "$out/store" --threads 2 scans
peers --store "$out/store" --cache-mb 8 scans
peers --store "$out/store" --delta 2 delta scans keys
rm -rf "$out/store"
peers --store "$out/store-arrow" arrow
rm -rf "$out/store-arrow"
