#!/usr/bin/env bash
# What has to hold of the model, whatever is changed in it. Uses the program in $TESSERA, else `tessera`.
set -euo pipefail
cd "$(dirname "$0")"
tessera=${TESSERA:-tessera}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"$tessera" --log-level warning check MODEL_NAME.toml > /dev/null

# The same state for any number of threads, and for a grid in two parts.
for devices in cpu cpu,cpu; do
    "$tessera" --log-level warning run MODEL_NAME.toml --devices $devices --quiet --out "$results/$devices" |
        grep -o 'state [0-9a-f]*' > "$results/state-$devices"
done
cmp "$results/state-cpu" "$results/state-cpu,cpu"

# Nobody is lost: those of the start and those who were born are dead or alive.
awk -F, 'NR > 1 && 300 + $3 - $4 != $2 { print "step " $1 ": not everybody is there"; exit 1 }' "$results/cpu/sheep.csv"
echo "MODEL_NAME: fine"
