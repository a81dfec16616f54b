#!/usr/bin/env bash
# Makes a graph of all packages that apt knows, in the folder that is named: what a package
# depends on, recommends, suggests and provides, its section, priority, maintainer, source,
# multi-arch field and tags. The same snapshot of Debian gives the same graph.
set -euo pipefail
export LC_ALL=C
out=${1:?name the folder for the graph}

facts=$(mktemp)
trap 'rm "$facts"' EXIT
apt-cache dumpavail | awk '
  function fact(relation, tail) { print "pkg:" package "\t" relation "\t" tail }
  function add(   n, i, items, facet) {
    if (field == "Package") package = value
    else if (field == "Section") fact("in_section", "section:" value)
    else if (field == "Priority") fact("has_priority", "priority:" value)
    else if (field == "Multi-Arch") fact("multi_arch", "multiarch:" value)
    else if (field == "Maintainer") fact("maintained_by", "maintainer:" value)
    else if (field == "Source") { sub(/ .*/, "", value); fact("built_from", "src:" value) }
    else if (field == "Tag") {
      n = split(value, items, /, */)
      for (i = 1; i <= n; i++) {
        gsub(/[ \t]/, "", items[i])
        facet = items[i]; sub(/::.*/, "", facet); gsub(/-/, "_", facet)
        if (items[i] ~ /::/) fact("tag_" facet, "tag:" items[i])
      }
    } else if (field ~ /^(Pre-Depends|Depends|Recommends|Suggests|Enhances|Provides|Breaks|Replaces|Conflicts)$/) {
      n = split(value, items, /[,|]/)
      relation = tolower(field); sub(/-/, "_", relation)
      for (i = 1; i <= n; i++) {
        gsub(/\(.*|:.*|[ \t]/, "", items[i]) # versions and architectures
        if (items[i] != "" && items[i] != package) fact(relation, "pkg:" items[i])
      }
    }
    field = ""
  }
  /^[ \t]/ { value = value $0; next }
  { add(); field = value = $0; sub(/:.*/, "", field); sub(/^[^:]*: */, "", value) }
  END { add() }' | sort -u >"$facts"
autoblm dataset import "$facts" --out "$out"
