#!/usr/bin/env bash
# Trains the models of the table of ensembles, makes the ensembles, and writes the results to
# the current folder. AUTOBLM_DATA names the benchmarks.
set -euo pipefail

for graph in nations umls kinship; do
  autoblm train --dataset $graph --recipe small --structure complex --members 8 --keep-members --out $graph-complex
  for structure in simple analogy quate distmult; do
    autoblm train --dataset $graph --recipe small --structure $structure --members 2 --keep-members --out $graph-$structure
  done
  autoblm train --dataset $graph --recipe small --structure complex --dim 2048 --out $graph-large --record ensemble-$graph-large.json
  four=$(echo $graph-{complex,simple,analogy,quate}/seed-{1,2})
  autoblm ensemble --dataset $graph --all --out $graph-seeds --record ensemble-$graph-seeds.json $graph-complex/seed-{1..8}
  autoblm ensemble --dataset $graph --all --out $graph-structures --record ensemble-$graph-structures.json $four
  autoblm ensemble --dataset $graph --out $graph-chosen --record ensemble-$graph-chosen.json $graph-complex/seed-{1..8} $graph-{simple,analogy,quate,distmult}/seed-{1,2}
done
