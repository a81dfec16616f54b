#!/usr/bin/env bash
# Compares structures on WN18RR, each by a penalty of its own, in the folder where it is run. Three
# searches find structures: of four chunks, and of four and eight chunks with translation. The best
# of each and the baselines, ComplEx also with translation, get the same seven penalties, all with
# one seed and d 128: N3 over the structure's own block and over coordinates, by three weights of
# entities, with a quarter of it for relations; then the best of these six with the same weight for
# relations. The penalty with the highest validation MRR is the structure's own. ComplEx, BiQUE and
# the better of the first and the last found structure by validation then train with other seeds and
# twice the dimension and epochs. structures-wn18rr.json has their validation and test MRRs. Nothing
# is chosen by the test.
# SEEDS chooses the last trainings, THREADS the number of threads. AUTOBLM_DATA names the benchmarks;
# jq is needed. What is there already is not done again.
set -euo pipefail
trap 'exit 130' INT TERM
threads=(${THREADS:+--threads "$THREADS"})
recipe=(--dataset wn18rr --recipe n3 --n3 0 --frequency 0.9)

search() { # NAME FLAG...
  [ -s "$1.json" ] && return
  autoblm search "${recipe[@]}" --dim 64 --epochs 12 --validate-every 12 --halving 2 --lr 0.3 --batch 128 \
    --sampled-softmax 512 --entity-n3 0.15 --relation-n3 0.04 --budget 40 --tune 0 --retrain-seeds 0 \
    --ensemble 0 --seed 1 "${threads[@]}" "${@:2}" --out "$1" --record "$1.part" --json >/dev/null
  mv "$1.part" "$1.json"
}

train() { # NAME FLAG...
  [ -s "$1.json" ] && return
  rm -rf model
  autoblm train "${recipe[@]}" --batch 150 --sampled-softmax 1024 "${threads[@]}" "${@:2}" \
    --out model --record record.part >/dev/null
  mv record.part "$1.json"
}

valid() { jq .result.valid.both.mrr "$1"; }

trial() { # NAME WEIGHT SHARE BLOCK STRUCTURE FLAG...
  train "tuned-$1-$2-$3-$4" --structure="$5" "${@:6}" --dim 128 --epochs 20 --validate-every 20 --seed 1 \
    --n3-block "$4" --entity-n3 "$2" --relation-n3 "$(jq -n "$2 * $3")"
}

best() { # NAME
  local file
  for file in tuned-"$1"-*.json; do
    file=${file#tuned-"$1"-}
    echo "$(valid "tuned-$1-$file") ${file%.json}"
  done | sort -rg | head -1
}

tune() { # NAME BLOCK STRUCTURE FLAG...: writes the structure's own penalty
  local name=$1 block=$2 weight share of
  [ -s "own-$name" ] && return
  for weight in .05 .15 .4; do
    for of in 1 "$block"; do
      trial "$name" $weight .25 "$of" "${@:3}"
    done
  done
  IFS='- ' read -r _ weight share of <<<"$(best "$name")"
  trial "$name" "$weight" 1 "$of" "${@:3}"
  best "$name" >"own-$name"
}

final() { # NAME SEED STRUCTURE FLAG...
  local weight share of
  IFS='- ' read -r _ weight share of <"own-$1"
  train "final-$1-$2" --structure="$3" "${@:4}" --dim 256 --epochs 40 --validate-every 10 --seed "$2" \
    --n3-block "$of" --entity-n3 "$weight" --relation-n3 "$(jq -n "$weight * $share")"
}

search found4 --k 4 --n3-block 4
search found8 --k 8 --n3-block 8 --translate
search found4t --k 4 --n3-block 4 --translate
found4=$(jq -r .result.best[0].structure found4.json)
found8=$(jq -r .result.best[0].structure found8.json)
found4t=$(jq -r .result.best[0].structure found4t.json)
tune complex 2 '1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2'
tune bique 8 bique --translate
tune translated 2 '1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2' --translate
tune quate 4 quate
tune found4 4 "$found4"
tune found8 8 "$found8" --translate
tune found4t 4 "$found4t" --translate
found=$({ echo "$(cat own-found4) found4"; echo "$(cat own-found8) found8"; } | sort -rg | head -1)
for seed in ${SEEDS:-11 12 13}; do
  final complex "$seed" '1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2'
  case $found in
  *found4) final found4 "$seed" "$found4" ;;
  *) final found8 "$seed" "$found8" --translate ;;
  esac
  final bique "$seed" bique --translate
  final translated "$seed" '1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2' --translate
done
for name in complex translated bique quate found4 found8 found4t; do
  IFS='- ' read -r mrr weight share of <"own-$name"
  jq --arg name "$name" --arg mrr "$mrr" --arg weight "$weight" --arg share "$share" --arg block "$of" \
    '. + {name: $name, tuned_valid: ($mrr | tonumber), n3_block: ($block | tonumber),
      entity_n3: ($weight | tonumber), relation_n3: (($weight | tonumber) * ($share | tonumber))}' \
    "tuned-$name-$weight-$share-$of.json" $(ls "final-$name"-*.json 2>/dev/null)
done | jq -s '{command: "notebooks/results/structures-wn18rr.sh", date: .[-1].date, machine: .[-1].machine,
  versions: .[-1].versions, result: (group_by(.name) | map({name: .[0].name, structure: .[0].result.structure,
  command: .[-1].command, tuned_valid: .[0].tuned_valid, n3_block: .[0].n3_block,
  entity_n3: .[0].entity_n3, relation_n3: .[0].relation_n3,
  valid: .[1:] | map(.result.valid.both.mrr), test: .[1:] | map(.result.test.both.mrr)}))}' \
  >structures-wn18rr.json
