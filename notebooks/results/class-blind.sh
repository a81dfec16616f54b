#!/usr/bin/env bash
# class-blind.sh GRAPH FOLDER chooses an ensemble of models for a graph, as aifb or mutag, blind: by
# cross-validation on the nodes to train with alone, and then tests it once. It records that in
# classify-GRAPH-blind.json in the folder where it is run. FOLDER, a new one, keeps what was done, so
# that the same command goes on if it is interrupted. AUTOBLM_DATA names the data; jq is needed.
#
# The rule, which stood here before a model that it chose was tested, and is the same for all graphs:
#
# What is chosen among does not come from earlier results. Every switch of classify train has both
# values and every choice all; numbers are powers of two. The structure is a named one or, as often,
# one whose 16 entries are drawn at random, each 0 or not with equal chances, until it is not
# degenerate. One to three layers; dropout in eighths up to a half, as far as the paper goes; learning
# rates, l2 and dimensions around the defaults of the first version and the paper's; an embedding for
# all entities or for what 2 to 32 labelled nodes see; at most 128 epochs, of which cross-validation
# chooses, as always.
#
# 1. Rounds: 16 settings are drawn at random and cross-validated in one division. Three times, 16 more
#    are made from the best 8 so far: each part is that of one of two of them, and one part is drawn
#    again.
# 2. The best 16 of these 64 are cross-validated in four divisions.
# 3. Nodes are few, so the best 8 of them may well be equally good: nothing is chosen between these,
#    but a model of each, with seed 1, is in an ensemble, which classifies by the mean of their
#    probabilities. The ensemble is the result. For comparison, ten models of the best one, with
#    seeds 1 to 10, are tested too.
#
# Best is what most nodes held out are classified right by; of equals, what was drawn first.
set -euo pipefail
export LC_ALL=C GOMAXPROCS=1
graph=$1 out=$PWD/classify-$1-blind.json
mkdir -p "$2"
cd "$2"

state=1
below() { # a random number below $1 is put into R; not in a subshell, which would forget the state
  state=$((state * 6364136223846793005 + 1442695040888963407))
  R=$(((state >> 33 & 0x7fffffff) % $1))
}
of() { # one of the arguments is put into V
  below $#
  V=${@:R+1:1}
}
structure() { # a structure is put into V
  below 2
  if [ $R = 0 ]; then
    of --structure={distmult,simple,complex,analogy,quate}
    return
  fi
  local entries degenerate=true
  while [ $degenerate = true ]; do
    entries=
    for place in {1..16}; do
      below 2
      if [ $R = 0 ]; then V=0; else of {,-}{1..4}; fi
      entries+=$V
      if ((place % 4)); then entries+=,; elif ((place < 16)); then entries+=';'; fi
    done
    degenerate=$(autoblm structure check --json -- "$entries" | jq .degenerate)
  done
  V="--structure=$entries"
}
parts=12
draw() { # part $1 of a setting is put into V
  case $1 in
  0) structure ;;
  1) of --dim={8,16,32,64} ;;
  2) of --layers={1,2,3} ;;
  3) of --{,no-}transform ;;
  4) of --{,no-}hidden ;;
  5) of --{,no-}self-loops ;;
  6) of --{,no-}reverse ;;
  7) of --norm={none,relation,relation-root,symmetric} ;;
  8) of --seen-by={0,2,4,8,16,32} ;;
  9) of --dropout={0,0.125,0.25,0.375,0.5} ;;
  10) of --lr={0.001953125,0.00390625,0.0078125,0.015625,0.03125,0.0625} ;;
  11) of --l2={0,0.000244140625,0.0009765625,0.00390625,0.015625,0.0625,0.25,1} ;;
  esac
}
settings() { # a setting is put into S: drawn, or from two parents, which are files with a part a line
  local part
  S=()
  if [ $# = 0 ]; then
    for ((part = 0; part < parts; part++)); do
      draw $part
      S+=("$V")
    done
    return
  fi
  local one other
  mapfile -t one <"$1"
  mapfile -t other <"$2"
  for ((part = 0; part < parts; part++)); do
    of "${one[part]}" "${other[part]}"
    S+=("$V")
  done
  below $parts
  part=$R
  draw $part
  S[part]=$V
}
train() { # train RECORD FLAG... unless that was done; what diverges has 0 held out
  local record=$1
  shift
  if [ -s $record ]; then return; fi
  if ! autoblm classify train --dataset $graph --epochs 128 --record $record "$@" >train.log 2>&1; then
    grep -q diverged train.log || { cat train.log >&2; exit 1; }
    echo '{"result": {"cv_accuracy": 0, "seconds": 0}}' >$record
  fi
}
best() { # best N FOLDER BELOW: the numbers below that of the best records there
  jq -r '[.result.cv_accuracy, (input_filename | sub(".*/"; "") | sub(".json$"; "") | tonumber)] | join(" ")' $2/*.json |
    awk -v below=$3 '$2 < below' | sort -k1,1gr -k2,2n | sed -n 1,$1p | cut -d' ' -f2
}

mkdir -p drawn once again models
declare -A drawn
for ((number = 1; number <= 64; number++)); do
  if ((number > 16 && number % 16 == 1)); then mapfile -t parents < <(best 8 once $number); fi
  while true; do
    if ((number <= 16)); then
      settings
    else
      of "${parents[@]}"
      one=$V
      of "${parents[@]}"
      settings drawn/$one drawn/$V
    fi
    if [ ! "${drawn[${S[*]}]-}" ]; then break; fi
  done
  drawn[${S[*]}]=$number
  printf '%s\n' "${S[@]}" >drawn/$number
  train once/$number.json --runs 0 "${S[@]}"
  echo "$number: $(jq .result.cv_accuracy once/$number.json) ${S[*]}"
done
for number in $(best 16 once 65); do
  mapfile -t S <drawn/$number
  train again/$number.json --runs 0 --repeats 4 --out models/$number "${S[@]}"
  echo "$number in four divisions: $(jq .result.cv_accuracy again/$number.json)"
done
mapfile -t ensemble < <(best 8 again 65)

mapfile -t S <drawn/${ensemble[0]}
train best.json --runs 10 --repeats 4 "${S[@]}"
autoblm classify eval --record ensemble.json "${ensemble[@]/#/--model=models/}" >>train.log

for number in {1..64}; do
  jq --arg settings "$(paste -sd' ' drawn/$number)" --argjson number $number --argjson again "$(cat again/$number.json 2>/dev/null || echo null)" \
    '{number: $number, settings: $settings, held_out: .result.cv_accuracy, again: $again.result.cv_accuracy, seconds: (.result.seconds + ($again.result.seconds // 0))}' once/$number.json
done >tried.json
jq --arg command "notebooks/results/class-blind.sh $1 $2" --arg members "${ensemble[*]}" --slurpfile tried tried.json --slurpfile ensemble ensemble.json '
  .command = $command | del(.result.out) | .result += {seconds: (.result.seconds + ($tried | map(.seconds) | add)), tuned: ($tried | length),
    ensemble: {members: ($members | split(" ") | map(tonumber)), accuracy: $ensemble[0].result.test.accuracy, by: $ensemble[0].result.by}, tried: $tried}' best.json >"$out"
