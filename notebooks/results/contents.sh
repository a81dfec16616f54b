#!/usr/bin/env bash
# Makes a graph of 914,000 files, folders and packages, in the folder that is named, from the lists
# of files of Debian 12: which package ships into which folder, and which files a folder contains.
# MIRROR is a mirror of Debian. Names of files that occur once or twice, or everywhere, are left out,
# and of the others about half of the occurrences.
set -euo pipefail
out=${1:?name the folder for the graph}
from=${MIRROR:-http://deb.debian.org/debian}/dists/bookworm/main

curl -sSf "$from/Contents-amd64.gz" "$from/Contents-all.gz" | gzip -dc | python3 -c '
import collections, random, sys
random.seed(1)
rows, occurrences = [], collections.Counter()
for line in sys.stdin:
    path, _, packages = line.rstrip("\n").rpartition(" ")
    folder, slash, name = path.rstrip().rpartition("/")
    if slash and "\t" not in path.rstrip():
        occurrences[name] += 1
        rows.append((folder, name, packages.split(",")[0]))
facts = set()
for folder, name, package in rows:
    section, _, package = package.rpartition("/")
    facts.add(("p:" + package, "in_section", "s:" + section))
    facts.add(("p:" + package, "ships_into", "d:" + folder))
    while "/" in folder:
        parent = folder.rpartition("/")[0]
        facts.add(("d:" + folder, "inside", "d:" + parent))
        folder = parent
for folder, name, _ in rows:
    if 3 <= occurrences[name] < 100000 and random.random() < .55:
        facts.add(("d:" + folder, "contains", "f:" + name))
        kind = name.rpartition(".")[2] if "." in name else ""
        if kind and len(kind) < 6:
            facts.add(("f:" + name, "has_type", "t:" + kind))
for fact in sorted(facts):
    print("\t".join(fact))' >"$out.tsv"
autoblm dataset import "$out.tsv" --out "$out"
