#!/usr/bin/env bash
# Makes the pictures of this folder from runs, e.g. docs/pictures/make.sh build/release/bin/tessera. Needs ImageMagick.
set -euo pipefail
program=$(realpath "$1")
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(cd -- "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

block() { # PAGE LANGUAGE N: the N-th code block of a page in this language
    awk -v fence="\`\`\`$2" -v wanted="$3" '$0 == fence { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n == wanted' "$root/$1"
}
mkdir -p "$work"/models/{fire,forest,rabbits}
block README.md cpp 1 >"$work/models/fire/fire.cu"
block docs/first-automaton.md cpp 3 | sed 's|= fires / trees|= trees > 0 ? float(fires) / float(trees) : 0.0f|' >"$work/models/forest/forest.cu"
block docs/first-agents.md cpp 2 >"$work/models/rabbits/rabbits.cu"
block docs/first-run.md toml 1 >"$work/my-life.toml"

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

# Those of docs/models.md, and of the tutorials
picture life_of_first_run "$work/my-life.toml" 250 "$(output 'attribute="cell.alive",scale=4')"
picture forest forest 100 "$(output 'attribute="patch.state",colours="inferno",low=0,high=3,scale=4')"
picture rabbits rabbits 200 \
    "$(output 'attribute="meadow.grass",colours="viridis",low=-1,high=1.5,scale=5,overlay={rabbit={attribute="fur",colours="hot",low=-1,high=1}}')"
picture heat2d "$root/examples/heat2d/heat2d.toml" 2000 "$(output 'attribute="plate.heat",colours="inferno",low=0,high=19')"
picture wave2d "$root/examples/wave2d/wave2d.toml" 2000 "$(output 'attribute="wave.now",colours="coolwarm",low=-10,high=10')"
picture leadership "$root/examples/leadership/leadership.toml" 250 'places.person.size=[120,80]' \
    "$(output 'attribute="person.behaviour",colours="coolwarm",low=-1,high=1,scale=4')"
picture town "$root/examples/town/town.toml" 30 'places.house.size=[150,150]' 'links.telephone.generate.links=60' \
    "$(output 'attribute="house.heard",colours="inferno",low=-1,high=35,scale=3')"
picture braingrid "$root/examples/braingrid/braingrid.toml" 22 'places.cell.size=[100,80]' 'params.somas=0.1' 'params.growing=15' \
    "$(output 'attribute="cell.soma",colours="inferno",low=0,high=6,scale=5,overlay={dendrite="cyan",axon={attribute="connected",colours="hot",low=-3,high=1}}')"
picture random_walk "$root/examples/random_walk/random_walk.toml" 100 \
    "$(output 'attribute="land.visits",colours="inferno",low=0,high=100,scale=2,overlay={walker="cyan"}')"
picture sugarscape "$root/examples/sugarscape/sugarscape.toml" 100 \
    "$(output 'attribute="field.sugar",colours="hot",low=0,high=6,scale=2,overlay={ant="cyan"}')"
picture sugarscape_mass "$root/examples/sugarscape_mass/sugarscape_mass.toml" 20 \
    "$(output 'attribute="plot.sugar",colours="viridis",low=0,high=4,scale=4,overlay={ant="red"}')"
picture wolf_sheep "$root/examples/wolf_sheep/wolf_sheep.toml" 400 'places.grass.size=[120,80]' 'agents.sheep.count=940' 'agents.wolf.count=225' \
    "$(output 'attribute="grass.countdown",colours="viridis",low=-14,high=12,scale=4,overlay={sheep="white",wolf="red"}')"
picture circles "$root/examples/circles/circles.toml" 400 "$(output 'slice=5,scale=40,overlay={circle="black"}')"

for name in life fire wave heat; do strip+=("$work/$name.png"); done
montage "${strip[@]}" -filter point -tile 4x1 -geometry 300x300+3+3 "$here/models.png"
convert "$work/fire.png" "$here/fire.png"
cp "$work/life_of_first_run.png" "$here/life.png"
for name in ants boids schelling forest rabbits heat2d wave2d leadership town braingrid random_walk sugarscape sugarscape_mass wolf_sheep circles; do
    cp "$work/$name.png" "$here/$name.png"
done
ls -l "$here"/*.png
