#!/usr/bin/env bash
# Distills the ensembles of forms.sh into one model, in the folder with them. The teacher of a graph is
# the ensemble with the higher held-out MRR. ComplEx, SimplE and the structure that whole-space.sh found
# learn from it with six teacher weights and temperatures, with one seed; the three with the highest
# validation MRR train with four more. The one to report has the highest mean validation MRR of five
# seeds: taught-GRAPH.json has all of them. Nothing is chosen by the test. jq is needed. GRAPHS chooses
# the graphs, THREADS the number of threads. AUTOBLM_DATA names the benchmarks. What is there already is
# not done again.
set -euo pipefail
trap 'exit 130' INT TERM
threads=(${THREADS:+--threads "$THREADS"})

. "$(dirname "$0")/found.sh"

train() { # STUDENT WEIGHT TEMPERATURE SEED
  local name=taught-$graph-$1-$2-$3-$4
  [ -s "$name.json" ] && return
  local model=--structure=$1
  [ "$1" = found ] && model=${found[$graph]}
  autoblm train --dataset "$graph" $model --from-ensemble "$teacher" --teacher-weight "$2" \
    --temperature "$3" --seed "$4" "${threads[@]}" --out model --record record.part >/dev/null
  rm -rf model
  mv record.part "$name.json"
}

for graph in ${GRAPHS:-nations umls}; do
  [ -s "taught-$graph.json" ] && continue
  teacher=$(for kind in chosen relation; do
    jq -r '"\(.result.held_out) \(.result.out)"' "formed-$graph-$kind.json"
  done | sort -rg | head -1 | cut -d ' ' -f 2)
  for student in complex simple found; do
    for weight in 0.3 0.5 0.7; do
      for temperature in 1 2; do train $student $weight $temperature 1; done
    done
  done
  for file in taught-"$graph"-*-1.json; do
    echo "$(jq .result.valid.both.mrr "$file") $file"
  done | sort -rg | head -3 | while read -r _ file; do
    IFS=- read -r student weight temperature _ <<<"${file#taught-"$graph"-}"
    for seed in 2 3 4 5; do train "$student" "$weight" "$temperature" $seed; done
  done
  jq -s '{command: "notebooks/results/taught.sh", date: .[-1].date, machine: .[-1].machine, versions: .[-1].versions,
    result: map({command, valid: .result.valid.both.mrr, test: .result.test.both.mrr})}' \
    taught-"$graph"-*-[1-5].json >taught.part
  mv taught.part "taught-$graph.json"
done
