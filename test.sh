#!/usr/bin/env bash
# Builds everything and runs the tests; first installs what is not there yet.
#
#   ./test.sh               every test, on the release build
#   ./test.sh ARGUMENTS...  the same with arguments for ctest, e.g. ./test.sh -R life
#   ./test.sh --thorough    with all of what a run draws some (TESSERA_TEST_SEED=N draws the same again): random models, broken models by
#                           other compilers, features beside each other; and with all boundaries and GPU architectures, where a run takes
#                           them by turns; and with models compiled for each processor that this machine can run, by each compiler
#                           that is installed
#   ./test.sh --all         what continuous integration runs: the format, the shell scripts, the build by g++, and one of two sanitizers,
#                           which the seed draws (clang++ builds one of them), with a third of its tests; with --thorough behind it both,
#                           and all tests
#
# At the end: the slowest tests, and what failed with the end of its output. The last line is `N passed, N failed` or
# `N passed, N failed, N skipped`.
set -euo pipefail
# shellcheck source=cmake/setup.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/cmake/setup.sh"

passed=0 failed=0 skipped=0
table=()
failures=() # one after the other: the preset, and what of it failed: a test, or nothing for a build or a check
times=()    # of each test: seconds, preset, and name

# The thread sanitizer of g++ 12 needs less address randomisation than recent kernels use.
plain_addresses=()
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ] && setarch -R true 2>/dev/null; then
    plain_addresses=(setarch -R)
fi

read_report() { awk -f "$root/cmake/read_report.awk" "$1"; }

# Adds the tests of the report "$2", of the preset "$1", to the totals, and to what failed and how long each took.
count() {
    local preset=$1 result seconds name
    while read -r result seconds name; do
        case $result in
        passed) passed=$((passed + 1)) ;;
        skipped) skipped=$((skipped + 1)) ;;
        failed)
            failed=$((failed + 1))
            failures+=("$preset" "$name")
            ;;
        esac
        times+=("$seconds $preset $name")
    done < <(output_of="" read_report "$2")
}

tell_slowest() {
    local seconds preset name
    [ ${#times[@]} -gt 0 ] || return 0
    printf '%-8s  %8s  %s\n' preset time 'slowest tests'
    printf '%s\n' "${times[@]}" | sort -rn | sed -n 1,12p | while read -r seconds preset name; do
        printf '%-8s  %6.0f s  %s\n' "$preset" "$seconds" "$name"
    done
    echo
}

# Says of each failure which it is and what was its end: of the first ones as many lines as a log that is cut to its last hundred
# still shows.
tell_failures() {
    local detailed=5 lines=80 named=10 count=$((${#failures[@]} / 2)) i preset name
    [ $count -gt 0 ] || return 0
    [ $count -ge $detailed ] || detailed=$count
    lines=$((lines / detailed > 40 ? 40 : lines / detailed))
    for ((i = 0; i < count && i < detailed + named; ++i)); do
        preset=${failures[2 * i]} name=${failures[2 * i + 1]}
        if [ -n "$name" ]; then echo "failed in $preset: $name"; else echo "failed: $preset"; fi
        [ $i -lt $detailed ] || continue
        if [ -n "$name" ]; then
            output_of=$name read_report "$root/build/$preset/tests.xml"
        else
            cat "$root/build/$preset/build.log"
        fi |
            tail -n $((lines - 2)) | cut -c 1-300
        echo
    done
    if [ $i -lt $count ]; then echo "... and $((count - i)) more"; fi
    echo
}

# Builds the target "$2" of the preset "$1" and runs its tests; "$3"... go to ctest. What could not be built counts as one failure.
build_and_test() {
    local preset=$1 target=$2 started=$SECONDS built status=0 before="$passed $failed $skipped" report=$root/build/$1/tests.xml
    shift 2
    say "$preset: building"
    lock_build "$preset"
    if ! { configure "$preset" &&
        "${plain_addresses[@]}" cmake --build "$root/build/$preset" --target "$target" --parallel "$cores"; } 2>&1 |
        tee "$root/build/$preset/build.log" >&2; then
        failed=$((failed + 1))
        failures+=("$preset" "")
        unlock_build
        table+=("$(printf '%-8s  %6d s  %8s  does not build' "$preset" $((SECONDS - started)) -)")
        return 0
    fi
    unlock_build
    built=$SECONDS
    say "$preset: built in $((built - started)) s, testing"
    rm -f "$report"
    (cd "$root" && "${plain_addresses[@]}" ctest --preset "$preset" --parallel "$cores" --output-junit "$report" "$@") || status=$?
    if [ -f "$report" ]; then count "$preset" "$report"; fi
    # A ctest that fails without naming a test, e.g. because there is none, is a failure too.
    # shellcheck disable=SC2086
    set -- $before
    if [ $status -ne 0 ] && [ $failed -eq "$2" ]; then failed=$((failed + 1)); fi
    table+=("$(printf '%-8s  %6d s  %6d s  %6d passed, %d failed, %d skipped' "$preset" $((built - started)) $((SECONDS - built)) \
        $((passed - $1)) $((failed - $2)) $((skipped - $3)))")
}

# Shipped and random models once more, compiled for each processor that this machine can run, by each compiler that is installed.
test_processors() {
    local way name started status failed_before before=$failed
    say "release: shipped and random models, compiled for other processors"
    while read -r way; do
        started=$SECONDS name=${way// /_} status=0 failed_before=$failed
        mkdir -p "$root/build/$name"
        rm -f "$root/build/$name/tests.xml"
        (cd "$root" && CXX="$root/tests/as_c++ $way" ctest --preset release --parallel "$cores" \
            --output-junit "$root/build/$name/tests.xml" --no-tests=error -R ThoroughProcessors </dev/null) || status=$?
        [ ! -f "$root/build/$name/tests.xml" ] || count "$name" "$root/build/$name/tests.xml"
        if [ "$status" -ne 0 ] && [ $failed -eq "$failed_before" ]; then
            failed=$((failed + 1))
            failures+=("$name" "")
        fi
        say "$way: $((SECONDS - started)) s"
    done < <("$root/tests/processors")
    table+=("$(printf '%-8s  %8s  %8s  %d failed' processors - - $((failed - before)))")
}

# A check of the sources, "$2"..., that counts as one test and is called "$1".
check() {
    local name=$1 log=$root/build/$1/build.log started=$SECONDS result=passed
    shift
    say "$name"
    mkdir -p "$(dirname -- "$log")"
    if (cd "$root" && "$@") >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        cat "$log" >&2
        failed=$((failed + 1))
        failures+=("$name" "")
        result=failed
    fi
    table+=("$(printf '%-8s  %8s  %6d s  %s' "$name" - $((SECONDS - started)) $result)")
}

# Which random models are drawn.
export TESSERA_TEST_SEED=${TESSERA_TEST_SEED:-$(((RANDOM * 32768 + RANDOM) % 1000000))}
unset TESSERA_TEST_THOROUGH

if [ "${1:-}" = --all ]; then
    shift
    sanitizers=(asan tsan)
    sanitizers=("${sanitizers[TESSERA_TEST_SEED / 3 % 2]}")
    drawn=(-I "$((TESSERA_TEST_SEED % 3 + 1)),,3") # of its tests every third one runs, the others another time
    if [ "${1:-}" = --thorough ]; then
        shift
        export TESSERA_TEST_THOROUGH=1
        sanitizers=(asan tsan) drawn=()
    fi
    [ $# -eq 0 ] || fail "--all takes no further arguments but --thorough"
    say "the format, the shell scripts, and release and ${sanitizers[*]}: builds and tests, which takes long the first time"
    libraries+=(libclang-rt-dev)
    install_missing clang++:clang clang-format-14:clang-format-14 shellcheck:shellcheck
    install_where_known chromium-headless-shell "tests of the viewer's page are skipped"
    install_where_known libzstd1 "tests of compressed checkpoints are skipped"
    check format cmake/check_format
    check shell cmake/check_shell
    build_and_test release all
    if [ -n "${TESSERA_TEST_THOROUGH:-}" ]; then test_processors; fi
    # Sanitizers see memory and threads, so what is about another compiler, about numbers, or about how long something takes is left to
    # the release build.
    long='GetsThroughAnyNumberOfBrackets|AHundredThousandStaticDeclarations|WhatAgentsTakeIsNoReason|OfVeryManyEntries|Benchmark|AgentKernels'
    numbers='EnoughIds|EachOperatorIsPackedOrNot'
    for sanitizer in "${sanitizers[@]}"; do
        case $sanitizer in
        # Clang++ compiles this one, all of it and without a warning.
        asan) build_and_test asan all -LE slow -E "MathUnderNvrtc|FusedGpuKernels|OfGpusFitTogether|$numbers|$long" "${drawn[@]}" ;;
        tsan) build_and_test tsan concurrent_tests -LE slow -E "$long" "${drawn[@]}" ;;
        esac
    done
else
    if [ "${1:-}" = --thorough ]; then
        shift
        export TESSERA_TEST_THOROUGH=1
        say "building everything, and running the tests with all random models, which takes long the first time"
    else
        say "building everything and running the tests, which takes a while the first time"
    fi
    install_missing
    build_and_test release all "$@"
    if [ -n "${TESSERA_TEST_THOROUGH:-}" ] && [ $# -eq 0 ]; then test_processors; fi
fi

echo
tell_slowest
printf '%-8s  %8s  %8s  %s\n' preset build tests result
printf '%s\n' "${table[@]}"
printf 'total %d s; random models drawn by TESSERA_TEST_SEED=%s\n\n' $SECONDS "$TESSERA_TEST_SEED"
tell_failures
summary="$passed passed, $failed failed"
if [ $skipped -gt 0 ]; then summary+=", $skipped skipped"; fi
echo "$summary"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
