#!/usr/bin/env bash
# Mutates files that Tessera reads, for hours: run files, libraries, tables, arrays, pictures, patterns, manifests, checkpoints and times; and
# what pages of the viewer say, in floods too.
#
#   tests/fuzz/run.sh [MINUTES] [TESTS]   60 minutes, with build/release/bin/test_host, unless told otherwise
#
# Ends at the first file that is neither read nor refused in words: its name stands in the last lines. With a build that has sanitizers
# (build/asan/bin/test_host) it finds what shows by nothing else.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
minutes=${1:-60} tests=${2:-$root/build/release/bin/test_host}
kept=$(mktemp -d)
export TESSERA_FUZZ_KEEP=$kept TESSERA_FUZZ_TRIES=${TESSERA_FUZZ_TRIES:-5000}
end=$((SECONDS + 60 * minutes)) rounds=0 tries=0

while [ $SECONDS -lt $end ]; do
    TESSERA_FUZZ_SEED=$((RANDOM * 32768 + RANDOM))
    export TESSERA_FUZZ_SEED
    # One that takes ten minutes hangs.
    if ! timeout 600 "$tests" --gtest_filter='Mutations.*' --gtest_brief=1 >"$kept/log" 2>&1; then
        tail -n 40 "$kept/log"
        echo "failed with TESSERA_FUZZ_SEED=$TESSERA_FUZZ_SEED TESSERA_FUZZ_TRIES=$TESSERA_FUZZ_TRIES; the files are in $kept"
        exit 1
    fi
    rounds=$((rounds + 1))
    tries=$((tries + TESSERA_FUZZ_TRIES * 35)) # files that are mutated
    echo "$rounds rounds, $tries files in $SECONDS s"
done
rm -r "$kept"
