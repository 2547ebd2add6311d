#!/usr/bin/env bash
# Wolves and sheep on one thread of a processor: Tessera, and a plain sequential program (reference/wolf_sheep/sequential.cpp), by turns.
# Prints nanoseconds an animal and step, since the two draw other random numbers and have other numbers of animals; medians.
#
#   sequential.sh [--tessera PROGRAM] [--rounds 5] [--sides 160,1600] [--out DIR]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../../.." && pwd)
tessera=$root/bin/tessera rounds=5 sides=160,1600 out=results/sequential
while [ $# -gt 0 ]; do
    case $1 in
    --tessera | --rounds | --sides | --out) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "sequential.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
[ -x "$tessera" ] || { echo "sequential.sh: there is no program $tessera; name it with --tessera" >&2 && exit 2; }
mkdir -p "$out"
reference=$here/reference
[ -d "$reference" ] || reference=$here/../reference # where it is installed
by_hand=$out/sequential
g++ -std=c++17 -O3 -march=native -o "$by_hand" "$reference/wolf_sheep/sequential.cpp"

median() { sort -g | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }

ours() { # SIDE STEPS SHEEP WOLVES SEED [OUTPUT]
    "$tessera" --log-level error run wolf_sheep --devices cpu --threads 1 --steps "$2" --seed "$5" --set schedule.tune=off \
        --set "places.grass.size=[$1,$1]" --set "agents.sheep.count=$3" --set "agents.wolf.count=$4" --set params.sheep_energy=20 \
        --set params.sheep_births=0.05 --set params.wolf_births=0.05 --set "output=[${6:-}]" --out "$out/run" --overwrite >/dev/null
}
# How many animals a step begins with, on average.
animals() {
    ours "$@" '{every=1,csv="animals.csv",columns={sheep="count(sheep)",wolves="count(wolf)"}}'
    awk -F, 'NR > 1 { all += last; last = $2 + $3 } END { print all / (NR - 2) }' "$out/run/animals.csv"
}

printf '%-6s %12s %12s %6s\n' side sequential tessera ratio
for side in ${sides//,/ }; do
    # As many animals on a place as in the example, and as many places in all steps, but 20 steps at least.
    sheep=$((2500 * side * side / 25600)) wolves=$((600 * side * side / 25600)) steps=$((1000 * 25600 / (side * side)))
    [ "$steps" -ge 20 ] || steps=20
    count=$(animals "$side" "$steps" "$sheep" "$wolves" 1)
    : >"$out/one" && : >"$out/other"
    for ((round = 1; round <= rounds; ++round)); do
        "$by_hand" "$side" "$steps" "$sheep" "$wolves" | cut -d ' ' -f 2 >>"$out/one"
        ours "$side" "$steps" "$sheep" "$wolves" 1
        awk -F '[:,]' -v count="$count" '/"steps":/ { steps = $2 } /"step_seconds":/ { seconds = $2 }
            END { print 1e9 * seconds / steps / count }' "$out/run/manifest.json" >>"$out/other"
    done
    one=$(median <"$out/one") other=$(median <"$out/other")
    awk -v side="$side" -v one="$one" -v other="$other" 'BEGIN { printf "%-6d %9.2f ns %9.2f ns %6.2f\n", side, one, other, other / one }'
done
