#!/usr/bin/env bash
# Trains models of multi-hop queries alike, on paths of one, two and three hops together and for the
# sake of the longest: structures, under which the relations of a path may change places (ComplEx) or
# not (QuatE), the one that a search on FB15k-237 found (queries-search-fb15k-237-2p.json), GQE, which
# has a matrix for each relation, and Query2box, with dropout as the others and without. Ranks 3p, and
# then 2p by the same model.
# Writes the results to the current folder as query-GRAPH-HOPSp-MODEL-long-DIM.json.
# GRAPHS, MODELS and DIMS choose what is trained, THREADS by how many threads. The results of ComplEx
# and the structure found use DIMS="64 256 512", those of GQE on FB15k-237 "64 128", the others 64.
# AUTOBLM_DATA names the benchmarks. What is there already is not trained again, and an interrupted
# training resumes.
set -euo pipefail

train() { # GRAPH MODEL DIM FLAG...
  local name=$2-long-$3 data=(--dataset "query2box-$1" ${THREADS:+--threads "$THREADS"})
  [ -e "query-$1-3p-$name.json" ] ||
    autoblm query train "${data[@]}" --hops 3 --with 1,2 --recipe basic --dim "$3" --epochs 8 --validate-every 1 --dropout 0.3 \
      --sparse-gradients 256 --seed 1 "${@:4}" --out "$1-$name" --record "query-$1-3p-$name.json" >/dev/null
  [ -e "query-$1-2p-$name.json" ] ||
    autoblm query eval "${data[@]}" --hops 2 --model "$1-$name" --record "query-$1-2p-$name.json" >/dev/null
}

for graph in ${GRAPHS:-fb15k-237 fb15k}; do
  for dim in ${DIMS:-64}; do
    for model in ${MODELS:-gqe complex quate found q2b q2b-whole}; do
      case $model in
      gqe) train "$graph" gqe "$dim" --model gqe --init xavier --lr 0.05 --dura 0.02 ;;
      q2b) train "$graph" q2b "$dim" --model q2b --lr 0.1 --init-scale 0.03 ;;
      q2b-whole) train "$graph" q2b-whole "$dim" --model q2b --lr 0.1 --init-scale 0.03 --dropout 0 ;;
      found) train "$graph" found "$dim" --structure '0,0,0,2;0,0,-1,0;0,3,0,0;4,0,0,-1' --lr 0.2 --dura 0.02 ;;
      *) train "$graph" "$model" "$dim" --structure "$model" --lr 0.2 --dura 0.02 ;;
      esac
    done
  done
done
