#!/usr/bin/env bash
# What tables, arrays, pictures and checkpoints cost a run, to be measured by hand. Nothing is asserted.
#
#   tests/figures/runs_that_last.sh [DEVICE] [WIDTH]     by default cpu, and 2048; a GPU is fair with 8192
#
# `tessera` is that of build/release, or $TESSERA. A line each: what, milliseconds, and what a goal is stated for.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
tessera=${TESSERA:-$root/build/release/bin/tessera}
device=${1:-cpu} width=${2:-2048}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"

# A number of the manifest of the run "$1".
number() { sed -n "s/^ *\"$2\": \([0-9.e+-]*\),*$/\1/p" "$1/manifest.json" | head -n 1; }
calculated() { awk "BEGIN { printf \"%.3f\", $1 }"; }
tell() { printf '%-58s %12s ms   %s\n' "$1" "$2" "${3:-}"; }

# A run "$1" of the model "$2" with "$3" steps and the keys behind that, after one that compiles.
made() {
    local name=$1 model=$2 steps=$3 keys=()
    shift 3
    for key in "run.devices=\"$device\"" "$@"; do keys+=(--set "$key"); done
    "$tessera" run "$model" --quiet --out "$name" --overwrite --steps "$steps" "${keys[@]}" >"$name.txt" 2>&1 || {
        cat "$name.txt" >&2
        exit 1
    }
}
heat=("places.plate.size=[$width,$width]" 'schedule.tune="off"' 'output=[]')
life=("places.cell.size=[4096,4096]" 'places.cell.init.alive={ random = 0.3 }' 'schedule.tune="off"')
table='output=[{ every = 1, csv = "t.csv", columns = { COLUMN } }]'

# Milliseconds a step of all that a run did in its loop.
a_step() { calculated "($(number "$1" step_seconds) + $(number "$1" output_seconds)) / $2 * 1000"; }

steps=100
made first heat2d 2 "${heat[@]}"
made plain heat2d $steps "${heat[@]}"
tell "a step of Heat2D, $width x $width, on $device" "$(a_step plain $steps)"
for column in 'sum(plate.heat)' 'max(plate.heat)'; do
    keys=("places.plate.size=[$width,$width]" 'schedule.tune="off"' "${table/COLUMN/a = \"$column\"}")
    made first heat2d 2 "${keys[@]}"
    made with_table heat2d $steps "${keys[@]}"
    tell "the same with $column in every step" "$(a_step with_table $steps)" "at most two steps"
done

made with_stop heat2d $steps "${heat[@]}" 'run.stop="max(plate.heat) > 1e9"'
tell "the same with stop = \"max(plate.heat) > 1e9\"" "$(a_step with_stop $steps)" "at most two steps"

# What one file, or checkpoint, takes where the run waits for it; and the thread that makes a picture beside the steps.
waits='run.output_memory="0 MiB"'
made arrays heat2d 4 "places.plate.size=[$width,$width]" "$waits" 'output=[{ every = 1, npy = "{step}.npy", attribute = "plate.heat" }]'
tell "an NPY file of $((width * width * 4 / 1000000)) MB, waited for" "$(calculated "$(number arrays output_seconds) / 5 * 1000")"
made pictures life 4 "${life[@]}" 'output=[{ every = 1, png = "{step}.png", attribute = "cell.alive" }]'
tell "a PNG of 4096 x 4096 places of Life, a thread" "$(calculated "$(number pictures writing_seconds) / 5 * 1000")" "120"
made kept heat2d 4 "${heat[@]}" "$waits" 'run.checkpoint={ every = 1 }'
tell "a checkpoint of $((width * width * 4 / 1000000)) MB, waited for" "$(calculated "$(number kept checkpoint_seconds) / 4 * 1000")"

# The same beside the steps: two of them, 5 seconds apart, in a run of 12.5 seconds.
every=$(awk "BEGIN { printf \"%d\", 5000 / $(a_step plain $steps) + 1 }")
long=$((every * 5 / 2))
made alone heat2d "$long" "${heat[@]}"
alone=$(calculated "$(number alone step_seconds)")
beside() {
    local name=$1 what=$2 kind=$3
    shift 3
    made "$name" heat2d "$long" "places.plate.size=[$width,$width]" 'schedule.tune="off"' "$@"
    tell "$what: standing still" "$(calculated "$(number "$name" "$kind") / 2 * 1000")"
    tell "$what: the run takes longer by" "$(calculated "($(number "$name" step_seconds) + $(number "$name" "$kind") - $alone) / 2 * 1000")" \
        "of 5 s: $(calculated "($(number "$name" step_seconds) + $(number "$name" "$kind") - $alone) / $alone * 100") %, goal 2 %"
}
beside beside "such an array every 5 s" output_seconds \
    "output=[{ every = $every, from = $every, until = $((2 * every + 1)), npy = \"{step}.npy\", attribute = \"plate.heat\" }]"
beside kept_beside "such a checkpoint every 5 s" checkpoint_seconds 'output=[]' "run.checkpoint={ every = $every }"

# Both from the start of the process to the end of one step.
begun=$(date +%s%N)
made one heat2d 1 "${heat[@]}"
started=$(($(date +%s%N) - begun)) begun=$(date +%s%N)
"$tessera" resume kept --steps 5 --quiet >resumed.txt 2>&1
tell "resuming from it and a step, more than a start and a step" "$(calculated "($(date +%s%N) - $begun - $started) / 1e6")" "1000"
