#!/usr/bin/env bash
# The rows of JuliaDynamics/ABMFrameworksComparison, by this program on one thread of a CPU and by MASON in the same minutes. Milliseconds of
# a run as that comparison declares it: the first state and the steps, without compiling. Medians of runs with seeds of their own.
#
#   comparison.sh [--tessera PROGRAM] [--runs 20] [--comparison FOLDER] [--out DIR]
#
# FOLDER is a clone of that repository, which has MASON's jar and its models; without it, or without java, the column is left out.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera runs=20 comparison='' out=results/comparison
while [ $# -gt 0 ]; do
    case $1 in
    --tessera | --runs | --comparison | --out) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "comparison.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
[ -x "$tessera" ] || { echo "comparison.sh: there is no program $tessera; name it with --tessera" >&2 && exit 2; }
mkdir -p "$out"
out=$(cd "$out" && pwd)

median() { sort -g | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }

ours() { # EXAMPLE
    local seed
    for ((seed = 0; seed <= runs; ++seed)); do
        "$tessera" --log-level error run "$here/../examples/comparison/$1.toml" --devices cpu --threads 1 --seed $((seed + 1)) \
            --set schedule.tune=off --set output=[] --out "$out/run" --overwrite >/dev/null
        [ "$seed" -gt 0 ] || continue # the first compiles
        awk -F '[:,]' '/"initialise_seconds":/ { first = $2 } /"step_seconds":/ { steps = $2 } END { print 1000 * (first + steps) }' \
            "$out/run/manifest.json"
    done | median
}

masons() { # FOLDER CLASS STEPS
    if [ -z "$comparison" ] || ! command -v javac >/dev/null; then echo - && return; fi
    (
        cd "$comparison"
        export CLASSPATH=$1/Mason:./mason.22.jar:$out/classes
        mkdir -p "$out/classes"
        javac -d "$out/classes" "$1"/Mason/*.java
        java "$2" -seed 42 -for "$3" -repeat "$runs" -quiet | awk '/JobTime:/ { print $2 / 1e6 }' | median
    )
}

printf '%-18s %10s %10s\n' row tessera mason
while read -r example folder class steps; do
    printf '%-18s %10.3f %10s\n' "$example" "$(ours "$example")" "$(masons "$folder" "$class" "$steps")"
done <<'ROWS'
wolf_sheep_small WolfSheep Wsg_small 100
wolf_sheep_large WolfSheep Wsg_large 100
schelling_small Schelling Schelling_small 20
schelling_large Schelling Schelling_large 20
flocking_small Flocking Flocking_small 100
flocking_large Flocking Flocking_large 100
ROWS
