#!/usr/bin/env bash
# Makes the data of `make bench-peers` in a folder: TPC-H's lineitem as CSV and Parquet (scale factor SF, 1 by default)
# and the keys that are looked up. What exists is kept.
#
#   scripts/bench-data.sh DIR
set -euo pipefail
data=${1:?usage: bench-data.sh DIR}
sf=${SF:-1}
mkdir -p "$data/cols"
data=$(cd "$data" && pwd)

python=$data/venv/bin/python
if ! "$python" -c 'import numpy, pyarrow' 2>/dev/null; then
    python3 -m venv "$data/venv"
    "$data/venv/bin/pip" install --quiet numpy pyarrow tpchgen-cli
fi

generate() {
    [ -s "$data/lineitem.$1" ] || "$data/venv/bin/tpchgen-cli" "$@" --scale-factor "$sf" --tables lineitem --output-dir "$data"
}
generate csv
generate parquet --row-group-bytes=64MB

[ -s "$data/cols/parts.bin" ] || "$python" - "$data" <<'PYTHON'
# Keys to look up, drawn from the table by a fixed seed: arrays of little-endian 64-bit integers.
import sys

import numpy
import pyarrow.parquet

data = sys.argv[1]
table = pyarrow.parquet.read_table(f"{data}/lineitem.parquet", columns=["l_orderkey", "l_linenumber", "l_partkey"])
orders, lines, parts = (table.column(name).to_numpy().astype("<i8") for name in table.column_names)
random = numpy.random.default_rng(42)

rows = random.integers(0, len(orders), 10_000)
numpy.column_stack([orders[rows], lines[rows]]).tofile(f"{data}/cols/points.bin")
orders[random.integers(0, len(orders) - 1000, 1_000)].tofile(f"{data}/cols/ranges.bin")
parts[random.integers(0, len(orders), 1_000)].tofile(f"{data}/cols/parts.bin")
PYTHON
echo "the data are in $data"
