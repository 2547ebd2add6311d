#!/usr/bin/env bash
# Networks on a GPU, each beside what it has to reach, by turns. Microseconds a step, medians of the rounds.
#
#   sir         an epidemic (plugins/sir_network), and the same by hand (reference/sir_network/by_hand.cu): the mean of a round's steps
#   pagerank    a sum over the links of each place (pagerank/), and a product of cuSPARSE (reference/pagerank/cusparse.cu)
#   social_net  friends of friends of friends (plugins/social_net), milliseconds of the whole run, and the goal
#
# The programs by hand draw other networks and other numbers, of the same sizes and chances; nvcc compiles them. --flamegpu names the same
# epidemic for FLAME GPU 2, compiled by reference/sir_network/flamegpu, to stand beside sir.
#
#   links.sh [--tessera PROGRAM] [--only sir,pagerank,social_net] [--rounds 3] [--persons 4000000] [--contacts 16] [--steps 40]
#            [--pages 16000000] [--citations 16] [--device cuda:0] [--flamegpu PROGRAM] [--out DIR]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tessera=$(cd -- "$here/../../.." && pwd)/bin/tessera only=sir,pagerank,social_net rounds=3 persons=4000000 contacts=16 steps=40
pages=16000000 citations=16 device=cuda:0 flamegpu='' out=results/links
while [ $# -gt 0 ]; do
    case $1 in
    --tessera | --only | --rounds | --persons | --contacts | --steps | --pages | --citations | --device | --flamegpu | --out)
        declare "${1#--}=${2:?$1 needs a value}" && shift 2
        ;;
    *) echo "links.sh: unknown option $1" >&2 && exit 2 ;;
    esac
done
[ -x "$tessera" ] || { echo "links.sh: there is no program $tessera; name it with --tessera" >&2 && exit 2; }
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "links.sh: there is no nvcc (the CUDA toolkit has it) put it on \$PATH" >&2 && exit 2; }
mkdir -p "$out"
reference=$here/reference
[ -d "$reference" ] || reference=$here/../reference # where it is installed

median() { sort -g | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }
is_wanted() { [[ ,$only, == *,$1,* ]]; }

# Makes so many steps of a model with the options behind it, and prints the microseconds of one.
step_of() {
    "$tessera" --log-level error run "${@:2}" --steps "$1" --devices "$device" --set output=[] --set 'run.stop="step > 1000000"' \
        --set schedule.tune=off --out "$out/run" --overwrite >/dev/null
    awk -F '[:,]' -v steps="$1" '/"step_seconds":/ { print 1e6 * $2 / steps }' "$out/run/manifest.json"
}

sir() {
    step_of "$steps" sir_network --set "places.person={count=$persons,init.state={random=0.001}}" \
        --set "links.contact={generate={rule=\"regular\",degree=$contacts}}"
}
mean_of() { "$1" "$persons" "$contacts" "$steps" | sed -n 's/.*median; \([0-9.]*\) the mean.*/\1/p'; }
sir_by_hand() { mean_of "$out/sir_by_hand"; }
pagerank() {
    step_of "$steps" "$here/pagerank/pagerank.cu" --set places.page.count="$pages" \
        --set "links.cites.generate={rule=\"preferential\",degree=$citations}"
}
pagerank_by_hand() { "$out/pagerank_by_hand" "$pages" "$citations" "$steps" | sed 's/ us.*//'; }

# Prints a row: a name, and the functions for this program and for the other.
row() {
    : >"$out/ours"
    : >"$out/theirs"
    for ((round = 0; round <= rounds; ++round)); do
        "$1_by_hand" >>"$out/theirs"
        time=$("$1")
        if [ "$round" -gt 0 ]; then echo "$time" >>"$out/ours"; fi # the first compiles
    done
    awk -v name="$1" -v hand="$(median <"$out/theirs")" -v here="$(median <"$out/ours")" \
        'BEGIN { printf "%-12s %12.1f %12.1f %6.2f\n", name, hand, here, here / hand }'
}

# Of so many persons, with the rule, in so many batches of 512.
social_net() {
    : >"$out/ours"
    for ((round = 0; round <= rounds; ++round)); do
        time=$(step_of "$3" social_net --set "places.person.count=$1" --set "links.friend={generate={rule=\"regular\",degree=$2}}")
        if [ "$round" -gt 0 ]; then echo "$time" >>"$out/ours"; fi
    done
    median <"$out/ours" | awk -v name="$1 persons" -v steps="$3" -v goal="$4" \
        '{ printf "%-16s %8.2f ms, goal %g ms\n", name, $1 * steps / 1000, goal }'
}

if is_wanted sir || is_wanted pagerank; then printf '%-12s %12s %12s %6s\n' '' 'by hand' tessera ratio; fi
if is_wanted sir; then
    "$nvcc" -O3 -std=c++17 -arch=native -o "$out/sir_by_hand" "$reference/sir_network/by_hand.cu"
    row sir
    if [ -n "$flamegpu" ]; then
        : >"$out/others"
        for ((round = 0; round < rounds; ++round)); do mean_of "$flamegpu" >>"$out/others"; done
        printf '%-12s %12.1f %12s %6s\n' 'FLAME GPU 2' "$(median <"$out/others")" '' ''
    fi
fi
if is_wanted pagerank; then
    "$nvcc" -O3 -std=c++17 -arch=native -o "$out/pagerank_by_hand" "$reference/pagerank/cusparse.cu" -lcusparse
    row pagerank
fi
if is_wanted social_net; then
    social_net 750 8 2 1
    social_net 100000 16 196 100
fi
