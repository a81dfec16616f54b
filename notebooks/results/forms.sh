#!/usr/bin/env bash
# Makes ensembles of models of many kinds on small graphs, in the folder where it is run: structures by
# the default recipe, the structure that whole-space.sh found, with its settings, and other models, each
# by three seeds. formed-GRAPH-chosen.json has the default selection among all of them,
# formed-GRAPH-relation.json all of them with weights by relation. The one to report has the higher
# held-out MRR. BACKEND is that of the models that only GoMLX trains, such as xla:cpu. GRAPHS chooses the
# graphs, THREADS the number of threads. AUTOBLM_DATA names the benchmarks. What is there already is not
# done again.
set -euo pipefail
trap 'exit 130' INT TERM
threads=(${THREADS:+--threads "$THREADS"})

. "$(dirname "$0")/found.sh"

train() { # NAME FLAG...
  local name=form-$graph-$1-$seed
  [ -s "$name.json" ] && return
  autoblm train --dataset "$graph" --seed "$seed" "${@:2}" --out "$name" --record "$name.part" >/dev/null
  mv "$name.part" "$name.json"
}

native() { train "$@" "${threads[@]}"; }
gomlx() { train "$@" --backend "${BACKEND:-go}"; }

ensemble() { # KIND FLAG...
  local name=formed-$graph-$1
  [ -s "$name.json" ] && return
  autoblm ensemble --dataset "$graph" "${@:2}" "${threads[@]}" --out "$name" --record "$name.part" \
    form-"$graph"-*-[123] >/dev/null
  mv "$name.part" "$name.json"
}

distance=(--recipe basic --dim 256 --lr 0.1 --batch 128 --validate-every 5)
neural=(--reciprocal --optimizer adam --lr 0.003 --init xavier --dim 100 --batch 128 --validate-every 10)
for graph in ${GRAPHS:-nations umls}; do
  for seed in 1 2 3; do
    for structure in complex simple quate distmult; do
      native $structure --structure $structure
    done
    native found ${found[$graph]}
    native transe --model transe "${distance[@]}" --epochs 60
    native rotate --model rotate "${distance[@]}" --epochs 120 --negatives 64 --margin 6
    native pairre --recipe basic --model pairre --dim 400 --lr 0.1 --batch 256 --epochs 60 --validate-every 5 --patience 3
    native tucker --recipe basic --model tucker --loss bce --batch-norm "${neural[@]}" --epochs 120 \
      --input-dropout 0.2 --dropout 0.3
    gomlx conve --recipe basic --model conve-10-32-3 --loss bce "${neural[@]}" --epochs 60 \
      --input-dropout 0.2 --dropout 0.3 --feature-dropout 0.2
    gomlx compgcn --recipe compgcn --structure distmult
    gomlx rgcn --recipe rgcn --structure distmult
    gomlx interstellar --recipe basic --model interstellar-wn18rr --walk-hops 3 --dim 128 --batch 256 \
      --epochs 20 --optimizer adam --lr 0.003 --init xavier --dropout 0.3 --decay 0.98 --validate-every 2
  done
  ensemble chosen
  ensemble relation --all --by relation
done
