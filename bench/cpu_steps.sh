#!/usr/bin/env bash
# Two builds of tessera beside each other on a CPU: each example by each, by turns, as cpu_steps.md. Says whether they come to one state.
#
#   cpu_steps.sh --before PROGRAM [--after PROGRAM] [--models wolf_sheep,schelling] [--threads 1,2] [--rounds 5] [--out DIR]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../../.." && pwd)
before='' after=$root/bin/tessera threads=1,2 rounds=5 out=results/cpu-steps
models=ants,boids,circles,heat2d,leadership,life,random_walk,schelling,sugarscape,sugarscape_mass,wave2d,wolf_sheep
while [ $# -gt 0 ]; do
    case $1 in
    --before | --after | --models | --threads | --rounds | --out) declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    *) echo "cpu_steps.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
for program in "$before" "$after"; do
    if [ ! -x "$program" ]; then
        echo "cpu_steps.sh: there is no program \"$program\"; name the two with --before and --after" >&2
        exit 2
    fi
done
mkdir -p "$out"
csv=$out/cpu_steps.csv
echo "model,threads,round,before,after,state" >"$csv"

declare -A steps=([circles]=100 [life]=1000 [heat2d]=20000 [wave2d]=20000 [sugarscape_mass]=1000 [leadership]=2000)
run() { # PROGRAM MODEL THREADS: microseconds a step, and the state
    "$1" --log-level error run "$root/share/tessera/examples/$2/$2.toml" --devices cpu --threads "$3" --set output=[] --set schedule.tune=off \
        ${steps[$2]:+--steps "${steps[$2]}"} --out "$out/run" --overwrite >/dev/null
    awk -F '[:,]' '/"steps":/ { steps = $2 } /"step_seconds":/ { seconds = $2 } /"state_hash":/ { hash = $2 }
        END { printf "%.2f %s\n", 1e6 * seconds / steps, hash }' "$out/run/manifest.json"
}
IFS=, read -ra all_models <<<"$models"
IFS=, read -ra all_threads <<<"$threads"
for model in "${all_models[@]}"; do
    for count in "${all_threads[@]}"; do
        for ((round = 0; round <= rounds; ++round)); do # the first, which compiles, is not counted
            one=$(run "$before" "$model" "$count")
            two=$(run "$after" "$model" "$count")
            if [ "${one#* }" = "${two#* }" ]; then state=same; else state=different; fi
            if [ "$round" != 0 ]; then echo "$model,$count,$round,${one% *},${two% *},$state" >>"$csv"; fi
        done
    done
done
awk -F, '
function median(list, n,    i, j, t) {
    for (i = 2; i <= n; ++i) for (j = i; j > 1 && list[j] < list[j - 1]; --j) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
NR > 1 {
    key = $1 " | " $2
    if (!(key in count)) keys[++many] = key
    i = ++count[key]; one[key, i] = $4; two[key, i] = $5; share[key, i] = $5 / $4
    if ($6 != "same") different[key] = 1
}
END {
    print "| model | threads | before, us a step | after | after : before, median of pairs | state |"
    print "| --- | --- | --- | --- | --- | --- |"
    for (k = 1; k <= many; ++k) {
        key = keys[k]; n = count[key]
        for (i = 1; i <= n; ++i) { a[i] = one[key, i]; b[i] = two[key, i]; s[i] = share[key, i] }
        printf "| %s | %.4g | %.4g | %.2f | %s |\n", key, median(a, n), median(b, n), median(s, n), key in different ? "different" : "same"
    }
}' "$csv" >"$out/cpu_steps.md"
cat "$out/cpu_steps.md"
