#!/usr/bin/env bash
# Mutation tests over the code that decides answers: comparison, the row filter and predicate decomposition.
# Survivors are listed and explained in docs/testing.md.
set -euo pipefail
cd "$(dirname "$0")/.."
"$OSTRACON_TOOLS/bin/cargo-mutants" mutants --in-place --baseline=run --test-tool=cargo --jobs 1 --timeout 120 \
    --test-workspace=false --colors=never \
    --file 'compare/src/**' --file 'iterators/src/row_filter/**' --file 'handler/src/predicate/**' "$@"
