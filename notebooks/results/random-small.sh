#!/usr/bin/env bash
# Draws recipes of named structures and of dense blocks for small graphs, in the folder where it is
# run. Each of SETTINGS (160) settings, the same in each run, trains with one seed. The eight with the
# highest validation MRR train with three other seeds, and the one with the highest mean trains with
# three more: random-GRAPH.json has their validation and test MRRs. Nothing is chosen by the test.
# GRAPHS chooses the graphs, THREADS the number of threads. AUTOBLM_DATA names the benchmarks; jq is
# needed. What is there already is not done again.
set -euo pipefail
trap 'exit 130' INT TERM

# Prints a line of flags for each setting.
draw() {
  awk -v n="${SETTINGS:-160}" '
    function pick(list,   values, count) { count = split(list, values, " "); return values[1 + int(rand() * count)] }
    BEGIN {
      srand(1)
      for (i = 0; i < n; i++) {
        line = pick("--structure=complex --structure=complex --structure=simple --structure=analogy " \
          "--structure=quate --structure=distmult --model=block-2 --model=block-4")
        line = line " --dim " pick("256 512 512 1024") " --batch " pick("32 64 128 128")
        line = line " --lr " pick(".05 .1 .1 .2 .3") " --epochs " pick("60 60 120")
        line = line " --relation-prediction " pick("0 0 0 .125 .25 .5 1 4")
        line = line " --dropout " pick("0 0 .1 .2 .3") " --input-dropout " pick("0 0 0 .1 .2")
        line = line " --penalty-frequency " pick("0 .5 .5 1")
        if (rand() < .7) line = line " --n3 " pick(".003 .005 .01 .02 .03 .05 .1")
        else line = line " --n3 0 --entity-l2 " pick(".003 .01 .03") " --products " pick(".003 .01 .03 .1")
        print line
      }
    }'
}

train() { # NAME GRAPH FLAG...
  [ -s "$1.json" ] && return
  if ! autoblm train --dataset "$2" ${THREADS:+--threads "$THREADS"} "${@:3}" \
    --out model --record record.part 2>errors >/dev/null; then
    grep -q diverged errors || { cat errors >&2; exit 1; }
    echo '{"result": null}' >record.part
  fi
  rm -rf model
  mv record.part "$1.json"
}

# Prints the mean validation MRR of a record, 0 if the training diverged.
valid() { jq '[.result | if . then .members // [.] else empty end | .[] | .valid.both.mrr] | add / length // 0' "$1"; }

for graph in ${GRAPHS:-umls nations kinship}; do
  [ -s "random-$graph.json" ] && continue
  number=0
  while read -r -a flags; do
    number=$((number + 1))
    train "tried-$graph-$number" "$graph" "${flags[@]}" --seed 1
  done < <(draw)
  mapfile -t best < <(for i in $(seq "$number"); do echo "$(valid "tried-$graph-$i.json") $i"; done |
    sort -rg | head -8 | cut -d' ' -f2)
  for i in "${best[@]}"; do
    read -r -a flags < <(draw | sed -n "${i}p")
    train "again-$graph-$i" "$graph" "${flags[@]}" --seed 2 --members 3
  done
  chosen=$(for i in "${best[@]}"; do echo "$(valid "again-$graph-$i.json") $i"; done |
    sort -rg | head -1 | cut -d' ' -f2)
  read -r -a flags < <(draw | sed -n "${chosen}p")
  train "final-$graph" "$graph" "${flags[@]}" --seed 11 --members 3
  for i in "${best[@]}"; do
    jq '{command, valid: [.result.members[].valid.both.mrr]}' "again-$graph-$i.json"
  done | jq -s --slurpfile final "final-$graph.json" '. as $again | $final[0] |
    .result |= {dataset, model: (.model // .structure), dim, again: $again,
      valid: [.members[].valid.both.mrr], test: [.members[].test.both.mrr]}' >random.part
  mv random.part "random-$graph.json"
done
