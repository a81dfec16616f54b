#!/usr/bin/env bash
# Trains ComplEx by several settings on nine graphs and records the validation MRRs, by which
# the recipes default and default-small were chosen, in defaults.json in the folder where it is run.
# AUTOBLM_DATA names the benchmarks, PACKAGES the graph that packages.sh makes; jq is needed.
set -euo pipefail
out=$PWD/defaults.json
cd "$(mktemp -d)"

# A map: 240 countries in 24 parts of 6 regions, with neighbours, languages and currencies.
awk 'BEGIN { OFS = "\t"
  for (c = 0; c < 240; c++) {
    part = int(c / 10); region = int(part / 4)
    print "c" c, "located_in", "part" part
    print "c" c, "located_in", "region" region
    if (c % 10 == 0) print "part" part, "located_in", "region" region
    for (step = 1; step <= 3; step++) {
      other = c + step
      if (other < 240 && (c * c + 7 * step) % 5 < 3 && int(other / 10) - part <= (c % 3 == 0)) {
        print "c" c, "borders", "c" other; print "c" other, "borders", "c" c
      }
    }
    print "c" c, "speaks", "language" (int(c / 7) % 23)
    if (c % 4 == 0) print "c" c, "speaks", "language" (part % 11)
    print "c" c, "pays_in", (region == 1 ? "euro" : "currency" int(c / 3))
  }
}' >map.tsv
# A family: twelve couples, and five generations of their children, who marry one another.
awk 'BEGIN { OFS = "\t"
  for (f = 0; f < 12; f++) { man[0, f] = n++; woman[0, f] = n++ }
  couples = 12
  for (g = 0; g < 4; g++) {
    kids = 0
    for (f = 0; f < couples; f++) {
      m = man[g, f]; w = woman[g, f]
      print "p" m, "married_to", "p" w; print "p" w, "married_to", "p" m
      count = 2 + (f * 5 + g) % 2
      for (k = 0; k < count; k++) {
        p = n++; father[p] = m; mother[p] = w; child[kids++] = p
        print "p" m, "father_of", "p" p; print "p" w, "mother_of", "p" p
        for (o = p - k; o < p; o++) { print "p" o, "sibling_of", "p" p; print "p" p, "sibling_of", "p" o }
        if (g) for (i = 0; i < 2; i++) {
          q = i ? w : m
          print "p" father[q], "grandparent_of", "p" p; print "p" mother[q], "grandparent_of", "p" p
        }
      }
    }
    couples = int(kids / 2)
    for (f = 0; f < couples; f++) { man[g + 1, f] = child[f]; woman[g + 1, f] = child[f + couples] }
  }
}' >family.tsv
for graph in map family; do autoblm dataset import $graph.tsv --out $graph >split.log; done
ln -s "$PACKAGES" packages

train() { # trains on a graph, and adds what came of it
  local graph=$1
  shift
  autoblm train --dataset "$graph" --structure complex "$@" --out model --record record.json >train.log
  jq -c --arg settings "$settings" '{command, date, machine, settings: $settings, dataset: .result.dataset,
    valid: [(.result.members // [.result])[].valid.both.mrr]}' record.json >>records
  rm -r model
}

tried="--recipe basic
--recipe small
--recipe default-small
--recipe default
--recipe default --n3 0.05
--recipe default-small --batch 500
--recipe default-small --init-scale 0.1
--recipe default-small --dropout 0.2"
while read -r settings; do
  for graph in nations umls kinship family map world; do train $graph $settings --members 3; done
  case "$settings" in *few?*) ;; *) train packages $settings ;; esac
done <<<"$tried"
for settings in "--recipe basic" "--recipe default-small" "--recipe default"; do
  train fb15k-237 $settings --dim 128 --epochs 5 --validate-every 5 --patience 0
done
for settings in "--recipe basic" "--recipe default"; do
  train wn18rr $settings --dim 128 --epochs 15 --validate-every 5 --patience 0
done
jq -s '{command: "notebooks/results/defaults.sh", date: .[-1].date, machine: .[-1].machine, result: map({settings, command, dataset, valid})}' records >"$out"
