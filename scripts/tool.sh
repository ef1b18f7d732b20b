#!/usr/bin/env bash
# tool.sh CRATE VERSION: installs a cargo tool of that version into $OSTRACON_TOOLS, unless it is there.
set -euo pipefail
crate=$1 version=$2
stamp="$OSTRACON_TOOLS/$crate-$version"
[ -e "$stamp" ] && exit 0
# A development build is ready in half the time and fast enough for what it does.
CARGO_TARGET_DIR="$OSTRACON_TOOLS/target" cargo install --locked --debug --root "$OSTRACON_TOOLS" --version "$version" "$crate"
touch "$stamp"
