#!/usr/bin/env bash
# Wave2D written by hand beside Tessera's, as in Jordan's report on MASS over several GPUs: a sequential program, one in plain CUDA for
# several GPUs, and the model. Times of a step, speed-ups and lines of code, as by_hand.md and by_hand.csv.
#
#   by_hand.sh [--devices cuda:0,cuda:1,...] [--sizes 500,1000,...] [--weak SIZE] [--out DIR] [--tessera PROGRAM] [--minutes N]
#              [--bench LIST] [--measured DIR]
#
# --bench: sizes that tessera bench is called for; else all. --measured: a folder with wave2d-SIZE.shared/bench.csv of the others.
# Needs g++ and, for GPUs, nvcc of CUDA's toolkit. With --devices cpu,cpu only what needs no GPU is measured. --weak: as many places a GPU.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
devices=cuda:0 sizes=500,1000,1500,2000,4096,8192,16384 weak="" out=results/by-hand minutes=5
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera
bench=- measured=
while [ $# -gt 0 ]; do
    case $1 in
    --devices | --sizes | --weak | --out | --tessera | --minutes | --bench | --measured) declare "${1#--}=$2" && shift 2 ;;
    *) echo "by_hand.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
if [ ! -x "$tessera" ] && ! tessera=$(command -v tessera); then
    echo "by_hand.sh: there is no tessera here; name it with --tessera" >&2
    exit 2
fi
reference=$here/reference
[ -d "$reference" ] || reference=$here/../reference
model=$here/../plugins/wave2d/wave2d.cu run_file=$here/../examples/wave2d/wave2d.toml
mkdir -p "$out"
out=$(cd -- "$out" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

IFS=, read -ra names <<<"$devices"
counts=()
for count in 1 2 4 8 16; do [ $count -gt ${#names[@]} ] || counts+=("$count"); done
gpus=yes
[[ $devices == cuda* ]] || gpus=
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

g++ -std=c++17 -O3 -march=native -ffp-contract=off -o "$build/sequential" "$reference/wave2d/sequential.cpp"
if [ -n "$gpus" ]; then
    compile() { "$nvcc" -std=c++17 -O3 -fmad=false -arch=native "$@"; }
    compile -o "$build/several_gpus" "$reference/wave2d/several_gpus.cu" &
    several_gpus=$!
    compile -o "$build/fused_wave2d" -DWAVE2D "$reference/fused_several_gpus.cu" &
    fused_wave2d=$!
    compile -o "$build/fused_heat2d" "$reference/fused_several_gpus.cu" &
    for job in $several_gpus $fused_wave2d $!; do wait "$job"; done
fi

csv=$out/by_hand.csv
echo "program,devices,width,height,microseconds_a_step,state" >"$csv"
end=$((SECONDS + minutes * 60))

# The multiple of $2 nearest above so many steps that 2^31 places are made, and no more than 5000: about half a second on one GPU.
steps_for() { # PLACES MULTIPLE
    local steps=$(((1 << 31) / $1))
    [ $steps -lt 5000 ] || steps=5000
    echo $(((steps + $2 - 1) / $2 * $2))
}
measure() { # NAME COUNT WIDTH HEIGHT STEPS
    [ $SECONDS -lt $end ] || { echo "by_hand.sh: no time left for $*" >&2 && return; }
    local words=("$build/$1") said
    [ "$1" = sequential ] || words+=("$2")
    if said=$(timeout -k 5 30 "${words[@]}" "$3" "$4" "$5"); then
        read -r -d '' -a words <<<"$said" || true # it ends where the text does
        # Launched one by one, or as a graph: whichever is faster.
        local best
        best=$(printf '%s\n' "${words[@]::${#words[@]}-1}" | sort -g | head -n 1)
        echo "$1,$2,$3,$4,$best,${words[-1]}" | tee -a "$csv"
    else
        echo "$1,$2,$3,$4,,failed" | tee -a "$csv"
    fi
}

# All of them come to the same state.
same=unknown
check_size=256 check_steps=$((11 * 50))
"$build/sequential" $check_size $check_size $check_steps "$build/state" >/dev/null
"$tessera" --log-level error run wave2d --quiet --devices "$devices" --steps $check_steps \
    --set "places.wave.size=[$check_size,$check_size]" --out "$build/run" \
    --set "output=[{npy=\"{step}.npy\",every=$check_steps,attribute=\"wave.now\"}]" >/dev/null
is_same() { # FILE: whose end is the state
    same=yes
    tail -c $((check_size * check_size * 4)) "$1" | cmp -s - "$build/state" || { same=no && echo "by_hand.sh: $1 is another state" >&2; }
}
is_same "$build/run/$check_steps.npy"
if [ -n "$gpus" ]; then
    for count in "${counts[@]}"; do
        "$build/several_gpus" "$count" $check_size $check_size $((check_steps / 11)) "$build/by_hand_$count" >/dev/null
        [ $same = no ] || is_same "$build/by_hand_$count"
    done
fi

IFS=, read -ra all_sizes <<<"$sizes"
for size in "${all_sizes[@]}"; do
    steps=$(steps_for $((size * size)) 50)
    measure sequential 1 "$size" "$size" $((steps / 20 + 5))
    [ -n "$gpus" ] || continue
    for count in "${counts[@]}"; do measure several_gpus "$count" "$size" "$size" "$steps"; done
    [ "$size" -ge 4096 ] || continue
    steps=$(steps_for $((size * size / 4)) 96)
    for program in fused_wave2d fused_heat2d; do
        for count in "${counts[@]}"; do measure $program "$count" "$size" "$size" "$steps"; done
    done
done
if [ -n "$gpus" ] && [ -n "$weak" ]; then
    for count in "${counts[@]:1}"; do measure several_gpus "$count" "$weak" $((weak * count)) "$(steps_for $((weak * weak)) 50)"; done
fi
left=$((end - SECONDS))
[ $left -gt 20 ] || left=20
[ "$bench" != - ] || bench=$sizes
[ -z "$bench" ] || timeout --foreground -s INT -k 10 $left "$tessera" --log-level error bench wave2d --devices "$devices" \
    --counts "$(IFS=, && echo "${counts[*]}")" --scaling strong --sizes "$bench" --views chosen --samples 5 --out "$out/tessera" \
    --overwrite >"$out/tessera.txt" || echo "by_hand.sh: tessera bench ended early: $out/tessera.txt" >&2
tables=()
for table in "$out/tessera/bench.csv" ${measured:+"$measured"/wave2d-*.shared/bench.csv}; do [ ! -s "$table" ] || tables+=("$table"); done

lines() { grep -cvE '^[[:space:]]*((//|#( |!)).*)?$' "$1"; } # that say something
{
    echo "Wave2D, one step at a time, microseconds a step; the same state as the sequential program: $same"
    echo
    awk -F, -v counts="${counts[*]}" -f "$here/fields.awk" -f - "$csv" "${tables[@]}" <<'AWK'
    FNR == 1 { file += 1; if (file > 1) for (i = fields(); i > 0; --i) column[field[i]] = i; next }
    file == 1 && $1 == "sequential" && $5 != "" { sequential[$3] = $5; sizes[++many] = $3 }
    file == 1 && $1 == "several_gpus" && $5 != "" && $3 == $4 { hand[$3, $2] = $5; states[$3] = states[$3] " " $6 }
    file > 1 {
        fields()
        time = field[column["microseconds_a_step"]]
        if (field[column["kind"]] !~ /^(rows|direct|window)$/ || field[column["state"]] != "same" || time == "") next
        split(field[column["size"]], extents, "x")
        if (extents[1] == extents[2]) ours[extents[1], field[column["devices"]]] = time
    }
    function cell(value) { return value == "" ? " - |" : sprintf(value < 100 ? " %.2f |" : " %.0f |", value) }
    function times(a, b) { return a == "" || b == "" ? " - |" : sprintf(a / b < 100 ? " %.1f |" : " %.0f |", a / b) }
    END {
        n = split(counts, count, " ")
        line = "| size | sequential |"; rule = "| --- | --- |"
        for (i = 1; i <= n; ++i) { line = line " by hand, " count[i] " |"; rule = rule " --- |" }
        for (i = 1; i <= n; ++i) { line = line " Tessera, " count[i] " |"; rule = rule " --- |" }
        for (i = 1; i <= n; ++i) { line = line " speed-up, " count[i] " |"; rule = rule " --- |" }
        print line; print rule
        for (s = 1; s <= many; ++s) {
            size = sizes[s]; line = "| " size " |" cell(sequential[size])
            for (i = 1; i <= n; ++i) line = line cell(hand[size, count[i]])
            for (i = 1; i <= n; ++i) line = line cell(ours[size, count[i]])
            for (i = 1; i <= n; ++i) line = line times(sequential[size], ours[size, count[i]])
            print line
            m = split(states[size], state, " ")
            for (i = 2; i <= m; ++i) if (state[i] != state[1]) print "by_hand.sh: states differ at " size > "/dev/stderr"
        }
        print "\nBy hand, Tessera, speed-up: on so many devices. Speed-up: of Tessera beside the sequential program."
    }
AWK
    echo
    echo "| | lines of code |"
    echo "| --- | --- |"
    echo "| sequential program | $(lines "$reference/wave2d/sequential.cpp") |"
    echo "| program by hand for several GPUs | $(lines "$reference/wave2d/several_gpus.cu") |"
    echo "| Tessera: model, and run file | $(lines "$model"), $(lines "$run_file") |"
} >"$out/by_hand.md"
cat "$out/by_hand.md"
[ $same = yes ]
