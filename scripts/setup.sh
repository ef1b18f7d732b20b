#!/usr/bin/env bash
# Makes sure that the build's one native need is there: libclang, which RocksDB's binding generator loads.
set -euo pipefail

have_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && ls "$LIBCLANG_PATH"/libclang*.so* >/dev/null 2>&1 && return 0
    ldconfig -p 2>/dev/null | grep -qE 'libclang(-[0-9.]+)?\.so' && return 0
    ls /usr/lib/llvm-*/lib/libclang.so* /usr/lib/llvm-*/lib/libclang-[0-9]*.so* >/dev/null 2>&1
}

if ! command -v cargo >/dev/null; then
    echo "setup: cargo was not found; install Rust 1.94 or newer from https://rustup.rs" >&2
    exit 1
fi
if ! command -v c++ >/dev/null; then
    echo "setup: a C++20 compiler was not found; on Debian: apt-get install g++" >&2
    exit 1
fi
have_libclang && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing libclang (RocksDB's bindings are generated with it)" >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libclang-dev >/dev/null
    have_libclang && exit 0
fi
cat >&2 <<'TEXT'
setup: libclang was not found, and RocksDB's bindings need it. Install it, then run make again:
    Debian, Ubuntu   sudo apt-get install libclang-dev
    Fedora           sudo dnf install clang-devel
    macOS            brew install llvm   (then: export LIBCLANG_PATH=$(brew --prefix llvm)/lib)
If it is somewhere else, name its folder in LIBCLANG_PATH.
TEXT
exit 1
