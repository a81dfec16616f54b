#!/usr/bin/env bash
# Compares structures on small graphs, each by a penalty of its own, in the folder where it is run.
# A search finds structures by the default recipe. The three best of them and four baselines get the
# same 27 penalties, with one seed. The three penalties with the highest validation MRR of each
# structure train again with three seeds, and the one with the highest mean is its own. The best
# found structure, by this mean, and the baselines then train with other seeds and twice the
# dimension: small-graphs-GRAPH.json has their validation and test MRRs. Nothing is chosen by the test.
# GRAPHS chooses the graphs, THREADS the number of threads. AUTOBLM_DATA names the benchmarks; jq is
# needed. What is there already is not done again.
set -euo pipefail
trap 'exit 130' INT TERM
threads=(${THREADS:+--threads "$THREADS"})

# The same models with four chunks, so that the norms of one, two and four numbers exist. Chunks c
# and c+2 are the real and the imaginary part.
declare -A baselines=(
  [complex]="1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2"
  [simple]="0,0,1,0;0,0,0,2;3,0,0,0;0,4,0,0"
  [analogy]="analogy"
  [quate]="quate"
)

train() { # NAME GRAPH STRUCTURE FLAG...
  [ -s "$1.json" ] && return
  if ! autoblm train --dataset "$2" --structure="$3" "${threads[@]}" --penalty-frequency 0.5 "${@:4}" \
    --out model --record record.part 2>errors >/dev/null; then
    grep -q diverged errors || { cat errors >&2; exit 1; }
    echo '{"result": null}' >record.part
  fi
  rm -rf model
  mv record.part "$1.json"
}

valid() { jq '[.result.members // [.result] | .[] | .valid.both.mrr] | add / length' "$1"; }

tune() { # GRAPH NAME STRUCTURE: writes the flags of the structure's own penalty
  local name=small-$1-$2 n3 prediction block seed file
  [ -s "$name.best" ] && return
  for n3 in .003 .01 .03; do
    for prediction in 0 .25 1; do
      for block in 1 2 4; do
        train "$name-$n3-$prediction-$block-1" "$1" "$3" --dim 128 --seed 1 \
          --n3 $n3 --relation-prediction $prediction --n3-block $block
      done
    done
  done
  for file in "$name"-*-1.json; do
    [ "$(jq .result "$file")" = null ] || echo "$(valid "$file") $file"
  done | sort -rg | head -3 | while read -r _ file; do
    IFS=- read -r n3 prediction block _ <<<"${file#"$name"-}"
    train "$name-$n3-$prediction-$block-2" "$1" "$3" --dim 128 --seed 2 --members 3 \
      --n3 "$n3" --relation-prediction "$prediction" --n3-block "$block"
    echo "$(valid "$name-$n3-$prediction-$block-2.json") $n3 $prediction $block"
  done | sort -rg | head -1 >"$name.best"
}

final() { # GRAPH NAME STRUCTURE
  local n3 prediction block
  read -r _ n3 prediction block <"small-$1-$2.best"
  train "final-$1-$2" "$1" "$3" --dim 256 --seed 11 --members 3 \
    --n3 "$n3" --relation-prediction "$prediction" --n3-block "$block"
}

for graph in ${GRAPHS:-nations umls kinship}; do
  if [ ! -s "found-$graph.json" ]; then
    autoblm search --dataset "$graph" --seed 1 --retrain-seeds 0 --ensemble 0 "${threads[@]}" \
      --out "search-$graph" --record found.part --json >/dev/null
    mv found.part "found-$graph.json"
  fi
  mapfile -t found < <(jq -r '.result.best[:3][].structure' "found-$graph.json")
  for i in 0 1 2; do tune "$graph" "found$i" "${found[i]}"; done
  for name in "${!baselines[@]}"; do
    tune "$graph" "$name" "${baselines[$name]}"
    final "$graph" "$name" "${baselines[$name]}"
  done
  best=$(for i in 0 1 2; do echo "$(cat "small-$graph-found$i.best") $i"; done | sort -rg | head -1)
  i=${best##* }
  cp "small-$graph-found$i.best" "small-$graph-found.best"
  final "$graph" found "${found[i]}"
  for file in final-"$graph"-*.json; do
    name=${file%.json}
    jq --arg name "${name#final-"$graph"-}" --arg best "$(cat "small-${name#final-}.best")" \
      '. + {name: $name, tuned: ($best | split(" ") | map(tonumber))}' "$file"
  done | jq -s '{command: "notebooks/results/small-graphs.sh", date: .[-1].date,
    machine: .[-1].machine, versions: .[-1].versions, result: map({dataset: .result.dataset,
    name, structure: .result.structure, command, tuned_valid: .tuned[0],
    penalty: {n3: .tuned[1], relation_prediction: .tuned[2], n3_block: .tuned[3]},
    valid: [.result.members[].valid.both.mrr], test: [.result.members[].test.both.mrr]})}' \
    >"small-graphs-$graph.json"
done
