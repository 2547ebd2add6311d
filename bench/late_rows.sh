#!/usr/bin/env bash
# How long a step takes by how often rows are exchanged: CPU partitions with memory of their own, whose rows arrive late on purpose. Beside
# it the closed form: what a step takes by itself, and (R - 1) rows more, and the R-th part of the latency. late_rows.csv, late_rows.svg.
#
#   late_rows.sh [--partitions 4] [--size 4096x2048] [--latencies 100us,1ms] [--steps 1,2,4,8,16,32,64] [--samples 5] [--threads N]
#                [--out DIR] [--tessera PROGRAM]
#   late_rows.sh --plot FILE.csv      draws again what was measured, to stdout
#
# Heat2D on a torus, one step at a time; --threads: of all partitions, else one each. As many processors should be idle.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
partitions=4 size=4096x2048 latencies=100us,1ms steps=1,2,4,8,16,32,64 samples=5 threads="" out=results/late-rows plot=""
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera
while [ $# -gt 0 ]; do
    case $1 in
    --partitions | --size | --latencies | --steps | --samples | --threads | --out | --tessera | --plot)
        declare "${1#--}=${2:?$1 needs a value}" && shift 2
        ;;
    *) echo "late_rows.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
if [ -n "$plot" ]; then
    awk -F, -f "$here/late_rows.awk" "$plot"
    exit
fi
if [ ! -x "$tessera" ] && ! tessera=$(command -v tessera); then
    echo "late_rows.sh: there is no tessera here; name it with --tessera" >&2
    exit 2
fi
mkdir -p "$out"
csv=$out/late_rows.csv
devices=cpu
for ((i = 1; i < partitions; ++i)); do devices+=,cpu; done
rows=$((${size#*x} / partitions))

microseconds() { # STEPS OPTIONS...: of a step
    local halo=$1
    shift
    "$tessera" --log-level error bench heat2d --devices "$devices" --threads "${threads:-$partitions}" --counts "$partitions" \
        --scaling strong --sizes "$size" --views chosen --samples "$samples" --set params.r=0.2 --set 'places.plate.boundary="torus"' \
        --set 'run.memory="own"' --set "schedule.halo=$halo" --out "$out/bench" --overwrite "$@" >"$out/bench.txt"
    awk -f "$here/fields.awk" -f - "$out/bench/bench.csv" <<'AWK'
    NR == 1 { for (i = fields(); i > 0; --i) column[field[i]] = i; next }
    { fields() }
    field[column["kind"]] == "rows" { print field[column["microseconds_a_step"]] }
AWK
}
IFS=, read -ra all_steps <<<"$steps"
IFS=, read -ra all_latencies <<<"$latencies"
alone=$(microseconds 1) # nothing comes late
echo "latency,steps,microseconds_a_step,closed_form" >"$csv"
for latency in "${all_latencies[@]}"; do
    for count in "${all_steps[@]}"; do
        time=$(microseconds "$count" --inject-latency "$latency")
        awk -v latency="$latency" -v r="$count" -v time="$time" -v alone="$alone" -v rows="$rows" 'BEGIN {
            late = latency * (latency ~ /us$/ ? 1 : latency ~ /ms$/ ? 1e3 : 1e6)
            printf "%s,%d,%.0f,%.0f\n", latency, r, time, alone + alone / rows * (r - 1) + late / r
        }' | tee -a "$csv"
    done
done
awk -F, -f "$here/late_rows.awk" "$csv" >"$out/late_rows.svg"
