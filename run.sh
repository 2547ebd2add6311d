#!/usr/bin/env bash
# Runs tessera, and first installs and builds what is not there yet.
#
#   ./run.sh               runs examples/life/life.toml
#   ./run.sh ARGUMENTS...  is `tessera ARGUMENTS...`, e.g. ./run.sh run my.toml
set -euo pipefail
# shellcheck source=cmake/setup.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/cmake/setup.sh"

program=$root/build/release/bin/tessera

build() { cmake --build "$root/build/release" --target tessera --parallel "$cores"; }

build_first_time() {
    local started=$SECONDS
    say "building with $cores cores, the first time about $(((15 + cores - 1) / cores)) minutes"
    build >&2 || fail "the build failed (the compiler says why above)"
    say "built in $((SECONDS - started)) s; from now on only what changes is built"
}

# Says nothing where nothing has to be built.
build_what_changed() {
    { build 2>&1 || fail "the build failed (the compiler says why above)"; } |
        { grep --line-buffered -vE 'ninja: (no work to do|Entering directory)|Re-checking globbed directories' >&2 || true; }
}

# shellcheck disable=SC2119
install_missing
lock_build release
configure release || exit 1
if [ -x "$program" ]; then build_what_changed; else build_first_time; fi
unlock_build

if [ $# -eq 0 ]; then
    say "running examples/life/life.toml (your own: ./run.sh run FILE.toml, all commands: ./run.sh --help)"
    set -- run "$root/examples/life/life.toml"
fi
exec "$program" "$@"
