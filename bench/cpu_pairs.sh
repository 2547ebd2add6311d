#!/usr/bin/env bash
# Two partitions of one thread each beside one of two threads, on a CPU: medians of runs by turns, as cpu_pairs.md.
#
#   cpu_pairs.sh [--models heat2d,wave2d,life] [--size 4096x8192] [--pairs 7] [--out DIR] [--tessera PROGRAM]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
models=heat2d,life size=4096x8192 pairs=7 out=results/cpu-pairs tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera
while [ $# -gt 0 ]; do
    case $1 in
    --models | --size | --pairs | --out | --tessera) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "cpu_pairs.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
if [ ! -x "$tessera" ] && ! tessera=$(command -v tessera); then
    echo "cpu_pairs.sh: there is no tessera here; name it with --tessera" >&2
    exit 2
fi
mkdir -p "$out"
csv=$out/cpu_pairs.csv
echo "model,pair,one_of_two_threads,two_of_one_thread" >"$csv"

microseconds() { # MODEL DEVICES COUNT: of a step, one at a time
    "$tessera" --log-level error bench "$1" --devices "$2" --counts "$3" --threads 2 --sizes "$size" --views chosen --scaling strong \
        --samples 3 --out "$out/bench" --overwrite >"$out/bench.txt"
    awk -f "$here/fields.awk" -f - "$out/bench/bench.csv" <<'AWK'
    NR == 1 { for (i = fields(); i > 0; --i) column[field[i]] = i; next }
    { fields() }
    field[column["kind"]] == "rows" { print field[column["microseconds_a_step"]] }
AWK
}
IFS=, read -ra all_models <<<"$models"
for model in "${all_models[@]}"; do
    for ((pair = 1; pair <= pairs; ++pair)); do
        one=$(microseconds "$model" cpu 1)
        two=$(microseconds "$model" cpu,cpu 2)
        echo "$model,$pair,$one,$two" | tee -a "$csv"
    done
done
awk -F, '
function median(list, n,    i, j, t) {
    for (i = 2; i <= n; ++i) for (j = i; j > 1 && list[j] < list[j - 1]; --j) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
NR > 1 { if (!($1 in count)) models[++many] = $1; i = ++count[$1]; one[$1, i] = $3; two[$1, i] = $4; share[$1, i] = $3 / $4 }
END {
    print "| model | one partition, two threads: us a step | two partitions, one thread each | speed beside one, median of pairs |" \
        " least, most |"
    print "| --- | --- | --- | --- | --- |"
    for (m = 1; m <= many; ++m) {
        model = models[m]; n = count[model]
        for (i = 1; i <= n; ++i) { a[i] = one[model, i]; b[i] = two[model, i]; s[i] = share[model, i] }
        printf "| %s | %.0f | %.0f |", model, median(a, n), median(b, n)
        printf " %.3f |", median(s, n)
        printf " %.3f, %.3f |\n", s[1], s[n]
    }
}' "$csv" >"$out/cpu_pairs.md"
cat "$out/cpu_pairs.md"
