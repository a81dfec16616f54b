#!/usr/bin/env bash
# Cross-validates SimplE on aifb and mutag by several settings and records the shares of nodes
# that were classified right while held out, by which the defaults of classify train were chosen,
# in classes-defaults.json in the folder where it is run. Nothing is tested: --runs 0.
# AUTOBLM_DATA names the data; jq is needed.
#
# The rule, which stood here before anything was trained: the mean over both graphs decides, each
# divided twice. All within one standard error of the best are as good as it (its share p of n
# nodes to train with has sqrt(p (1 - p) / n)); of these are taken those that change the fewest of
# the first version's settings, then the one whose --seen-by, --dropout and --dim, in this order,
# are nearest to them. First --seen-by and --dropout are chosen so, then --dim beside them.
set -euo pipefail
out=$PWD/classes-defaults.json
cd "$(mktemp -d)"

validate() { # validate SEEN-BY DROPOUT DIM on each graph
  for graph in aifb mutag; do
    autoblm classify train --dataset $graph --structure simple --runs 0 --repeats 2 \
      --seen-by $1 --dropout $2 --dim $3 --record record.json >train.log
    jq -c '{command, date, machine, dataset: .result.dataset, seen_by: .result.seen_by, dropout: .result.dropout, dim: .result.dim,
      nodes: .result.train, epochs: .result.epochs, held_out: .result.cv_accuracy}' record.json >>records
  done
}
choose() { # the settings that the rule chooses, as validate takes them
  jq -sr 'group_by([.seen_by, .dropout, .dim]) | map({
      settings: [.[0].seen_by, .[0].dropout, .[0].dim], mean: (map(.held_out) | add / length),
      error: ((map(.held_out * (1 - .held_out) / .nodes) | add | sqrt) / length)})
    | max_by(.mean) as $best | map(select(.mean >= $best.mean - $best.error))
    | min_by(.settings | [([.[0] != 0, .[1] != 0.4, .[2] != 20] | map(select(.)) | length),
      .[0], (.[1] - 0.4 | fabs), (.[2] - 20 | fabs)]).settings | map(tostring) | join(" ")' records
}

for seen_by in 0 5 10 20 40; do
  for dropout in 0.3 0.4 0.5; do
    validate $seen_by $dropout 20
  done
done
read -r seen_by dropout dim <<<"$(choose)"
for dim in 16 32; do
  validate $seen_by $dropout $dim
done
jq -s --arg chosen "$(choose)" '{command: "notebooks/results/class-defaults.sh", date: .[-1].date, machine: .[-1].machine,
  result: {chosen: ($chosen | split(" ") | map(tonumber)), tried: map(del(.date, .machine))}}' records >"$out"
