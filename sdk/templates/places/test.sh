#!/usr/bin/env bash
# What has to hold of the model, whatever is changed in it. Uses the program in $TESSERA, else `tessera`.
set -euo pipefail
cd "$(dirname "$0")"
tessera=${TESSERA:-tessera}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"$tessera" --log-level warning check MODEL_NAME.toml > /dev/null

# The same state for any number of threads.
for threads in 1 2; do
    "$tessera" --log-level warning run MODEL_NAME.toml --devices cpu --threads $threads --quiet --out "$results/$threads" |
        grep -o 'state [0-9a-f]*' > "$results/state-$threads"
done
cmp "$results/state-1" "$results/state-2"

# Nobody is lost: healthy, ill and immune are as many as there are people.
awk -F, 'NR > 1 && $2 + $3 + $4 != 200 * 200 { print "step " $1 ": not everybody is there"; exit 1 }' "$results/1/people.csv"
echo "MODEL_NAME: fine"
