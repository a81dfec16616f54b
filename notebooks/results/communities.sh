#!/usr/bin/env bash
# Makes a graph with communities and a power law of degrees, in the folder that is named. A
# relation leads from a community to three others. Which fact a head has depends on the community
# and the popularity of tails, and one fact of ten is noise. The second and third arguments are the
# numbers of entities and of draws per entity.
set -euo pipefail
out=${1:?name the folder for the graph}
entities=${2:-1000000} draws=${3:-2.5}

awk -v entities="$entities" -v draws="$draws" 'BEGIN {
  srand(1); OFS = "\t"
  relations = 40; members = 500
  communities = int(entities / members)
  for (n = 0; n < draws * entities; n++) {
    head = int(entities * rand() ^ 2.5) # entity i is in community i mod communities
    relation = int(relations * rand() ^ 2)
    if (rand() < 0.1) community = int(communities * rand())
    else community = (head + 7919 * relation + 104729 * int(3 * rand() ^ 2)) % communities
    rank = int(1.5 * (1 / (1 - rand()) - 1)) + (31 * head + 7 * relation) % 3
    if (rank >= members) rank = int(members * rand())
    tail = rank * communities + community
    if (tail != head) print "e" head, "r" relation, "e" tail
  }
}' | LC_ALL=C sort -u >"$out.tsv"
autoblm dataset import "$out.tsv" --out "$out"
