#!/usr/bin/env bash
# Wolves and sheep in lists on a GPU: `tessera bench`, and the same model by hand (reference/wolf_sheep/lists.cu), by turns. Both time steps
# from the 50th on; the two draw other random numbers and have other animals, about as many. Prints microseconds a step, medians of the
# rounds, and how many animals the program by hand had.
#
#   lists.sh [--tessera PROGRAM] [--device cuda:0] [--side 4096] [--sheep 2700000] [--wolves 1300000] [--steps 150] [--rounds 3] [--out DIR]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera device=cuda:0
side=4096 sheep=2700000 wolves=1300000 steps=150 rounds=3 out=results/lists
while [ $# -gt 0 ]; do
    case $1 in
    --tessera | --device | --side | --sheep | --wolves | --steps | --rounds | --out) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "lists.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
[ -x "$tessera" ] || { echo "lists.sh: there is no program $tessera; name it with --tessera" >&2 && exit 2; }
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "lists.sh: there is no nvcc (the CUDA toolkit has it); put it on \$PATH" >&2 && exit 2; }
mkdir -p "$out"
reference=$here/reference
[ -d "$reference" ] || reference=$here/../reference # where it is installed
"$nvcc" -O3 -std=c++17 -arch=native -o "$out/lists" "$reference/wolf_sheep/lists.cu"

median() { sort -g | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }

ours() {
    "$tessera" --log-level error bench wolf_sheep --devices "$device" --sizes "${side}x$side" --views chosen --samples 7 \
        --set "agents.sheep={count=$sheep,capacity=\"unlimited\",reserve=$((12 * sheep))}" \
        --set "agents.wolf={count=$wolves,capacity=\"unlimited\",reserve=$((12 * wolves))}" --out "$out/bench" --overwrite >/dev/null
    awk -F, 'END { print $(NF - 9) }' "$out/bench/bench.csv" # from the end, since the name of a view may have a comma
}

: >"$out/ours" && : >"$out/theirs"
for ((round = 1; round <= rounds; ++round)); do
    CUDA_VISIBLE_DEVICES=${device#cuda:} "$out/lists" "$side" "$steps" "$sheep" "$wolves" "$round" >>"$out/theirs"
    ours >>"$out/ours"
done
printf '%-12s %12s %12s %12s %6s\n' side animals 'by hand' tessera ratio
awk -v side="$side" -v animals="$(cut -d ' ' -f 2 "$out/theirs" | median)" -v hand="$(median <"$out/theirs")" \
    -v here="$(median <"$out/ours")" 'BEGIN { printf "%-12d %12.0f %12.1f %12.1f %6.2f\n", side, animals, hand, here, here / hand }'
