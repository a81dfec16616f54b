#!/usr/bin/env bash
# Trains ComplEx by the default recipes of graphs with many triples or entities, with other learning
# rates and cooldowns, in the folder where it is run: cooldown.json has the best validation MRRs.
# AUTOBLM_DATA names the benchmarks, and debian.sh makes debian; FLAGS are the flags of all commands;
# jq is needed. Finished trainings are not repeated.
set -euo pipefail
while read -r graph dim epochs settings; do
  for setting in $settings; do
    rate=${setting%,*} share=${setting#*,}
    file=cooldown-$graph-$dim-$epochs-$setting.json
    [ -s "$file" ] && continue
    # shellcheck disable=SC2086
    autoblm train --structure complex --dataset "$graph" --seed 1 --dim "$dim" --epochs "$epochs" \
      --lr "$rate" --cooldown "$share" --validate-every 5 --patience 0 --no-eval ${FLAGS:-} \
      --out model-cooldown --record "$file.part" >/dev/null
    jq --arg settings "--lr $rate --cooldown $share" --arg graph "$graph, d $dim, $epochs epochs" '
      {command: (.command | sub(" --out.*"; "")), date, machine, dataset: $graph, settings: $settings,
      valid: [.result.validations | map(.mrr) | max]}' "$file.part" >"$file"
    rm -r model-cooldown "$file.part"
  done
done <<'END'
fb15k-237 128 10 0.1,0 0.2,0 0.1,0.9 0.2,0.9 0.4,0.9 0.2,0.5 0.3,0.5
wn18rr 128 15 0.1,0 0.2,0 0.1,0.9 0.2,0.9 0.4,0.9 0.2,0.5 0.3,0.5
wn18rr 512 15 0.1,0 0.2,0.9 0.2,0.5 0.3,0.5
fb15k-237 128 30 0.3,0.5
wn18rr 512 60 0.1,0 0.2,0.5
debian 128 15 0.3,0 0.3,0.9 0.5,0.9 0.8,0.9 0.3,0.5
END
jq -s '{command: "notebooks/results/cooldown.sh", date: .[-1].date, machine: .[-1].machine,
  result: map({settings, command, dataset, valid})}' cooldown-*.json >cooldown.json
