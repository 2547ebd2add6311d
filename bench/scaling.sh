#!/usr/bin/env bash
# What several devices make of a model, all of it in one call: strong and weak scaling of Heat2D, Wave2D and Life, one step at a time and
# fused, in each kind of memory, beside programs by hand; and of Sugarscape with ants on half of the places. Tables, plots and what was
# said of each part go into one folder, and summary.md.
#
#   scaling.sh --devices cuda:0,cuda:1,cuda:2,cuda:3 [--minutes 8] [--out results/scaling]
#
#   --sizes LIST     of the same grid; the largest is also the size a device of weak scaling (16384,8192,4096)
#   --words LIST     of Life as bits alone (32768)
#   --fused          also views that the engine lists, besides those named here
#   --only PATTERN   parts whose names match: the others keep what an earlier call found
#   --samples N      timings of a row (5)
#   --threads N      of CPUs
#   --tessera PROGRAM
#
# Parts come in the order of what they say; each has a limit of time, longer if there are more minutes than 8, and those that no time is
# left for are named in the summary.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
devices="" minutes=8 out=results/scaling sizes=16384,8192,4096 words=32768 fused="" only="" samples=5 threads=""
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera
while [ $# -gt 0 ]; do
    case $1 in
    --fused) fused=fused && shift ;;
    --devices | --minutes | --out | --sizes | --words | --only | --samples | --threads | --tessera)
        declare "${1#--}=${2:?$1 needs a value}" && shift 2
        ;;
    *) echo "scaling.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
[ -n "$devices" ] || { echo "scaling.sh: --devices cuda:0,cuda:1,... is missing" >&2 && exit 2; }
if [ ! -x "$tessera" ] && ! tessera=$(command -v tessera); then
    echo "scaling.sh: there is no tessera here; name it with --tessera" >&2
    exit 2
fi
tessera=$(realpath "$tessera")
mkdir -p "$out" && out=$(cd -- "$out" && pwd) || exit 1

IFS=, read -ra names <<<"$devices"
IFS=, read -ra all_sizes <<<"$sizes"
IFS=, read -ra word_sizes <<<"$words"
counts=1
for count in 2 4 8 16; do [ $count -gt ${#names[@]} ] || counts+=,$count; done
largest=$(printf '%s\n' "${all_sizes[@]}" | sort -n | tail -n 1)
end=$((SECONDS + minutes * 60))
[ -n "$only" ] || : >"$out/parts.txt"
touch "$out/parts.txt"
say() { # NAME HOW: in place of what was said of the part before
    local others
    others=$(grep -v "^$1: " "$out/parts.txt")
    printf '%s' "${others:+$others$'\n'}" >"$out/parts.txt"
    echo "$1: $2" | tee -a "$out/parts.txt"
}

# Runs a command for at most so many seconds, and says how it ended. An interrupted bench keeps the rows that it has.
part() { # NAME SECONDS COMMAND...
    local name=$1 limit=$(($2 * (minutes > 8 ? minutes : 8) / 8)) left=$((end - SECONDS)) status=0
    shift 2
    [[ $name =~ $only ]] || return 0
    if [ $left -lt 5 ]; then
        say "$name" "not begun, no time was left"
        return
    fi
    [ "$limit" -lt $left ] || limit=$left
    local begin=$SECONDS
    timeout --foreground -s INT -k 15 "$limit" "$@" >"$out/$name.txt" 2>&1 || status=$?
    local how=finished
    [ $status = 0 ] || how="ended with $status, $(grep -m 1 -h '^error' "$out/$name.txt" || echo "see $name.txt")"
    [ $status != 124 ] || how="ended after its $limit s"
    say "$name" "$how, $((SECONDS - begin)) s"
}

# Of several steps at once: the best known on one H200 and on stripes of it. The name is that of `tessera bench --views`.
views_of() { # MODEL SIZE
    case $1-$2 in
    heat2d-16384) echo pipeline:8x4x120,pipeline:8x4x96,pipeline:8x4x128,pipeline:6x4x103 ;;
    heat2d-8192) echo pipeline:8x4x156,pipeline:8x4x96,pipeline:8x4x78,pipeline:8x4x39 ;;
    heat2d-4096) echo pipeline:8x4x42,pipeline:8x4x21,pipeline:8x4x24,pipeline:8x2x45 ;;
    wave2d-16384) echo pipeline:8x4x96,pipeline:8x2x96,pipeline:8x4x128 ;;
    wave2d-8192) echo pipeline:8x2x96,pipeline:8x4x96,pipeline:8x4x48 ;;
    wave2d-4096) echo pipeline:8x2x48,pipeline:8x2x24,pipeline:8x4x24 ;;
    life-32768) echo words:5x1x64x1,words:8x1x64x1,words:8x1x128x1 ;;
    life-16384) echo words:5x1x32x1,words:8x1x64x1,words:5x1x64x1 ;;
    life-8192) echo words:5x1x32x1,words:8x1x32x1 ;;
    life-4096) echo words:5x1x32x1,words:4x1x16x1 ;;
    *) [[ $devices == cuda* ]] && echo fused || echo blocks:8x4096x512 ;;
    esac
}
bench() { # PART SECONDS MODEL SIZE VIEWS OPTIONS...
    local name=$1 limit=$2 model=$3 size=$4 views=$5
    shift 5
    [ -z "$fused" ] || views+=,fused
    [ -z "$threads" ] || set -- "$@" --threads "$threads"
    [ "$model" != heat2d ] || set -- "$@" --set params.r=0.2
    part "$name" "$limit" "$tessera" --log-level info bench "$model" --devices "$devices" --counts $counts --sizes "$size" \
        --views "$views" --samples "$samples" --out "$out/$name" --overwrite "$@"
}
strong() { # MODEL SIZE SECONDS
    bench "$1-$2.shared" "$3" "$1" "$2" "chosen,$(views_of "$1" "$2")" --scaling strong --set 'run.memory="shared"'
}
first_view() { views_of "$1" "$2" | cut -d, -f 1; }

strong heat2d "$largest" 75
strong wave2d "$largest" 75
for size in "${all_sizes[@]}"; do
    [ "$size" != "$largest" ] || continue
    strong heat2d "$size" 40
    strong wave2d "$size" 40
done
small= # sizes of Jordan's report
[ "$largest" -lt 2000 ] || small=500,1000,1500,2000
part by_hand 150 "$here/by_hand.sh" --devices "$devices" --sizes "${small:+$small,}$sizes" --bench "$small" --measured "$out" \
    --weak "$largest" --out "$out/by-hand" --tessera "$tessera" --minutes 2
for model in heat2d wave2d; do
    bench "$model-$largest.own" 45 $model "$largest" "chosen,$(first_view $model "$largest")" --scaling strong --set 'run.memory="own"'
    bench "$model-$largest.own-by-host" 45 $model "$largest" "chosen,$(first_view $model "$largest")" --scaling strong \
        --set 'run.memory="own"' --set 'run.transport="host"'
done
strong life "$largest" 60
for size in "${word_sizes[@]}"; do
    bench "life-$size.shared" 75 life "$size" "$(views_of life "$size")" --scaling strong --set 'run.memory="shared"'
done
for model in heat2d wave2d life; do
    bench "$model-$largest.weak" 60 $model "$largest" "chosen,$(first_view $model "$largest")" --scaling weak --set 'run.memory="shared"'
done
bench "sugarscape-$largest.shared" 150 sugarscape "$largest" chosen --scaling strong --set 'run.memory="shared"' \
    --set agents.ant.count=$((largest * largest / 2))
bench "heat2d-$largest.managed" 45 heat2d "$largest" "chosen,$(first_view heat2d "$largest")" --scaling strong --set 'run.memory="managed"'
pairs=(--size 4096x8192 --pairs 5)
[ "$largest" -ge 2000 ] || pairs=(--size "$largest" --pairs 1)
part cpu_pairs 90 "$here/cpu_pairs.sh" "${pairs[@]}" --out "$out/cpu-pairs" --tessera "$tessera"

tables=()
while IFS=: read -r name _; do [ ! -s "$out/$name/bench.csv" ] || tables+=("$out/$name/bench.csv"); done <"$out/parts.txt"
{
    echo "# $("$tessera" --version) on $devices"
    echo
    echo "Microseconds a step, the fastest view of its kind on so many devices; in brackets, how many times as many places a second as on"
    echo "one. Weak: as many times as long a grid. Every state has the bits of one device, or the last column says so."
    echo
    [ ${#tables[@]} = 0 ] || awk -v counts="$counts" -f "$here/fields.awk" -f "$here/scaling.awk" "${tables[@]}"
    echo
    [ ! -s "$out/by-hand/by_hand.csv" ] || awk -F, -v counts="$counts" -f "$here/by_hand.awk" "$out/by-hand/by_hand.csv"
    [ ! -s "$out/by-hand/by_hand.md" ] || { echo && cat "$out/by-hand/by_hand.md"; }
    [ ! -s "$out/cpu-pairs/cpu_pairs.md" ] || { echo && cat "$out/cpu-pairs/cpu_pairs.md"; }
    echo
    echo "Parts:"
    echo
    sed 's/^/- /' "$out/parts.txt"
} >"$out/summary.md"
cat "$out/summary.md"
