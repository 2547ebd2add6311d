#!/usr/bin/env bash
# Two grids of Wave2D on two devices: each grid spread over both, or on a device of its own; in each kind of memory. Microseconds a step of
# both grids, one at a time, and the state, which is always the same.
#
#   execution.sh --devices cuda:0,cuda:1 [--size 16384] [--steps 2000] [--out results/execution] [--tessera PROGRAM]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
devices="" size=16384 steps=2000 out=results/execution
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera
while [ $# -gt 0 ]; do
    case $1 in
    --devices | --size | --steps | --out | --tessera) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "execution.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
IFS=, read -ra names <<<"$devices"
[ ${#names[@]} = 2 ] || { echo "execution.sh: --devices names two, as in cuda:0,cuda:1" >&2 && exit 2; }
mkdir -p "$out"

measure() { # NAME DEVICES KEYS...
    local name=$1 on=$2 keys=() key
    shift 2
    for key in output=[] "run.steps=$steps" "places.left.size=[$size,$size]" "places.right.size=[$size,$size]" "$@"; do keys+=(--set "$key"); done
    "$tessera" run "$here/two_waves.toml" --devices "$on" "${keys[@]}" --out "$out/$name" --overwrite >"$out/$name.txt" 2>&1 ||
        { echo "$name: $(grep -m 1 ^error "$out/$name.txt")" && return; }
    local of='s/.*: "?([^",]*)"?,?$/\1/p'
    awk -v name="$name" -v rate="$(sed -nE "/\"steps_per_second\"/$of" "$out/$name/manifest.json")" \
        -v state="$(sed -nE "/\"state_hash\"/$of" "$out/$name/manifest.json")" \
        'BEGIN { printf "%-24s %10.1f us a step, state %s\n", name, 1e6 / rate, state }'
}
apart=('places.left.cuts=['"$size"']' 'places.right.cuts=[0]') # all rows on the first device, none on it
own='run.memory="own"'
measure one "${names[0]}"
measure spread-shared "$devices" 'run.memory="shared"'
measure spread-own "$devices" "$own" schedule.halo=1
measure spread-own-4-steps "$devices" "$own" schedule.halo=4
measure spread-own-by-host "$devices" "$own" schedule.halo=4 'run.transport="host"'
measure spread-managed "$devices" 'run.memory="managed"'
measure apart-shared "$devices" 'run.memory="shared"' "${apart[@]}"
measure apart-own "$devices" "$own" "${apart[@]}"
measure apart-managed "$devices" 'run.memory="managed"' "${apart[@]}"
