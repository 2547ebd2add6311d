#!/usr/bin/env bash
# An epidemic on a network (plugins/sir_network) on a GPU: Tessera, and the same by hand (reference/sir_network/by_hand.cu, which nvcc
# compiles), by turns. Prints microseconds a step, medians of the rounds; of each round the mean of its steps. The two draw other networks
# and other numbers, of the same sizes and chances.
#
#   links.sh [--tessera PROGRAM] [--rounds 3] [--persons 4000000] [--contacts 16] [--steps 40] [--device cuda:0] [--out DIR]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera rounds=3 persons=4000000 contacts=16 steps=40 device=cuda:0 out=results/links
while [ $# -gt 0 ]; do
    case $1 in
    --tessera | --rounds | --persons | --contacts | --steps | --device | --out) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "links.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
[ -x "$tessera" ] || { echo "links.sh: there is no program $tessera; name it with --tessera" >&2 && exit 2; }
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "links.sh: there is no nvcc (the CUDA toolkit has it) put it on \$PATH" >&2 && exit 2; }
mkdir -p "$out"
reference=$here/reference
[ -d "$reference" ] || reference=$here/../reference # where it is installed
"$nvcc" -O3 -std=c++17 -arch=native -o "$out/by_hand" "$reference/sir_network/by_hand.cu"

median() { sort -g | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }

ours() {
    "$tessera" --log-level error run sir_network --devices "$device" --steps "$steps" --set output=[] --set 'run.stop="step > 1000000"' \
        --set schedule.tune=off --set "places.person={count=$persons,init.state={random=0.001}}" \
        --set "links.contact={generate={rule=\"regular\",degree=$contacts}}" --out "$out/run" --overwrite >/dev/null
    awk -F '[:,]' -v steps="$steps" '/"step_seconds":/ { print 1e6 * $2 / steps }' "$out/run/manifest.json"
}
by_hand() { "$out/by_hand" "$persons" "$contacts" "$steps" | sed 's/.*median; \([0-9.]*\) the mean.*/\1/'; }

: >"$out/ours"
: >"$out/theirs"
for ((round = 0; round <= rounds; ++round)); do
    by_hand >>"$out/theirs"
    time=$(ours)
    if [ "$round" -gt 0 ]; then echo "$time" >>"$out/ours"; fi # the first compiles
done
printf '%12s %12s %6s\n' 'by hand' tessera ratio
awk -v hand="$(median <"$out/theirs")" -v here="$(median <"$out/ours")" 'BEGIN { printf "%12.1f %12.1f %6.2f\n", hand, here, here / hand }'
