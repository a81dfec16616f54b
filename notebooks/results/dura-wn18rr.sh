#!/usr/bin/env bash
# Compares translated structures on WN18RR under DURA, in the folder where it is run. DURA penalizes
# structures that differ by names and signs of chunks alike, so it favours no layout. Two searches, of
# four and of eight chunks, find structures at d 128. The best of each and the baselines get the same
# three weights at d 256, with one seed; the validation MRR chooses. ComplEx and the better found
# structure then train with other seeds and more epochs. dura-wn18rr.json has their validation and
# test MRRs. Nothing is chosen by the test.
# SEEDS chooses the last trainings, THREADS the number of threads. AUTOBLM_DATA names the benchmarks;
# jq is needed. What is there already is not done again.
set -euo pipefail
trap 'exit 130' INT TERM
threads=(${THREADS:+--threads "$THREADS"})
recipe=(--dataset wn18rr --recipe basic --reciprocal --translate --frequency 0.9 --lr 0.1 --batch 512
  --sampled-softmax 2048)
complex='1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2'

search() { # K
  [ -s "search-$1.json" ] && return
  autoblm search "${recipe[@]}" --k "$1" --entity-l2 0.15 --products 0.15 --dim 128 --epochs 20 \
    --validate-every 20 --halving 2 --budget 60 --tune 0 --retrain-seeds 0 --ensemble 0 --seed 1 \
    "${threads[@]}" --out "search-$1" --record "search-$1.part" --json >/dev/null
  mv "search-$1.part" "search-$1.json"
}

train() { # NAME WEIGHT STRUCTURE FLAG...
  [ -s "$1.json" ] && return
  rm -rf "model-$1"
  autoblm train "${recipe[@]}" "${threads[@]}" --structure="$3" --dim 256 --entity-l2 "$2" \
    --products "$2" "${@:4}" --out "model-$1" --record "$1.part" >/dev/null
  mv "$1.part" "$1.json"
  rm -rf "model-$1"
}

best() { # NAME: validation MRR and weight
  local weight
  for weight in 0.1 0.15 0.2; do
    echo "$(jq '.result.validations[-1].mrr' "tuned-$1-$weight.json") $weight"
  done | sort -rg | head -1
}

search 4
search 8
declare -A structures=([complex]=$complex [quate]=quate [simple]=simple [analogy]=analogy [bique]=bique
  [found4]=$(jq -r '.result.best[0].structure' search-4.json)
  [found8]=$(jq -r '.result.best[0].structure' search-8.json))
names=(complex quate simple analogy bique found4 found8)
for name in "${names[@]}"; do
  for weight in 0.1 0.15 0.2; do
    train "tuned-$name-$weight" "$weight" "${structures[$name]}" --epochs 40 --validate-every 40 --no-eval --seed 1
  done
done
found=$({ echo "$(best found4) found4"; echo "$(best found8) found8"; } | sort -rg | head -1)
found=${found##* }
for seed in ${SEEDS:-11 12 13}; do
  for name in complex "$found"; do
    read -r _ weight <<<"$(best "$name")"
    train "final-$name-$seed" "$weight" "${structures[$name]}" --epochs 80 --cooldown 40 --validate-every 10 \
      --seed "$seed"
  done
done
for name in "${names[@]}"; do
  read -r mrr weight <<<"$(best "$name")"
  jq --arg name "$name" --arg mrr "$mrr" --arg weight "$weight" \
    '. + {name: $name, tuned_valid: ($mrr | tonumber), weight: ($weight | tonumber)}' \
    "tuned-$name-$weight.json" $(ls "final-$name"-*.json 2>/dev/null)
done | jq -s '{command: "notebooks/results/dura-wn18rr.sh", date: .[-1].date, machine: .[-1].machine,
  versions: .[-1].versions, result: (group_by(.name) | map({name: .[0].name,
  structure: .[0].result.structure, tuned_valid: .[0].tuned_valid, weight: .[0].weight,
  valid: .[1:] | map(.result.valid.both.mrr), test: .[1:] | map(.result.test.both.mrr)}))}' >dura-wn18rr.json
