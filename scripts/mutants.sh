#!/usr/bin/env bash
# Mutation tests over the code that decides answers: comparison, the row filter and predicate decomposition.
# SHARD=k/n runs one part of n, for machines on which all of it takes days. Survivors are explained in docs/testing.md.
set -euo pipefail
cd "$(dirname "$0")/.."
"$OSTRACON_TOOLS/bin/cargo-mutants" mutants --workspace --test-workspace=false --in-place --timeout 180 --colors=never \
    --file 'compare/src/**/*.rs' --file 'iterators/src/row_filter/**/*.rs' --file 'handler/src/predicate/**/*.rs' \
    ${SHARD:+--shard "$SHARD"} "$@"
