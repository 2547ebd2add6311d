#!/usr/bin/env bash
# Makes the pictures of this folder from runs, e.g. docs/pictures/make.sh build/release/bin/tessera. Needs ImageMagick.
set -euo pipefail
program=$(realpath "$1")
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(cd -- "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The fire model is the one that README.md shows: its first block of C++.
mkdir -p "$work/models/fire"
awk '/^```cpp$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$root/README.md" >"$work/models/fire/fire.cu"

picture() { # NAME STEP KEYS... : the state after STEP steps of run file or model $1
    local name=$1 what=$2 step=$3
    shift 3
    local keys=()
    for key in "$@"; do keys+=(--set "$key"); done
    "$program" --log-level error run "$what" --plugins "$work/models" --quiet --steps "$step" --out "$work/$name" "${keys[@]}" >/dev/null
    mv "$work/$name/$step.png" "$work/$name.png"
}

output() { echo "output=[{png=\"{step}.png\",every=1000000,$1}]"; }

picture life "$root/examples/life/gosper_gun.toml" 600 'places.cell.size=[150,150]' \
    "$(output 'attribute="cell.alive",scale=2,low=0,high=1')"
picture fire fire 400 'places.patch.size=[300,300]' "$(output 'attribute="patch.state",colours="inferno",low=0,high=3')"
picture wave "$root/examples/wave2d/wave2d.toml" 2000 'places.wave.size=[300,300]' \
    "$(output 'attribute="wave.now",colours="coolwarm",low=-8,high=8')"
picture heat "$root/examples/heat2d/heat2d.toml" 20000 'places.plate.size=[300,300]' 'params.heat_time=20000' \
    "$(output 'attribute="plate.heat",colours="inferno",low=0,high=19')"
picture ants "$root/examples/ants/ants.toml" 150 \
    "$(output 'attribute="ground.scent",colours="viridis",low=0,high=5,scale=2,overlay={ant="red"}')"

picture boids "$root/examples/boids/boids.toml" 400 "$(output 'scale=16,overlay={bird="#203040"}')"
picture schelling "$root/examples/schelling/schelling.toml" 50 'places.home.size=[120,120]' 'agents.person.count=11500' \
    "$(output 'scale=4,overlay={person={attribute="kind",colours="viridis"}}')"

for name in life fire wave heat; do strip+=("$work/$name.png"); done
montage "${strip[@]}" -filter point -tile 4x1 -geometry 300x300+3+3 "$here/models.png"
convert "$work/fire.png" "$here/fire.png"
for name in ants boids schelling; do cp "$work/$name.png" "$here/$name.png"; done
ls -l "$here"/*.png
