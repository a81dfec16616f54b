package rdf

import "slices"

// Benchmark is a data set of the literature with its sizes.
type Benchmark struct {
	Name string
	// Nodes, Relations and Edges are the numbers of nodes, literals included, of
	// predicates, and of distinct triples.
	Nodes, Relations, Edges int
	// Classes, Train and Test are the numbers of classes and of labelled nodes.
	Classes, Train, Test int
	// Address is an archive with the files that [ReadFolder] reads.
	Address string
}

// Sizes are from Schlichtkrull et al. (ESWC 2018), Table I; splits are from Ristoski et al.
// (ISWC 2016).
var registry = []Benchmark{
	{"aifb", 8285, 45, 29043, 4, 140, 36, "https://data.dgl.ai/dataset/aifb.tgz"},
	{"mutag", 23644, 23, 74227, 2, 272, 68, "https://data.dgl.ai/dataset/mutag.tgz"},
	{"bgs", 333845, 103, 916199, 2, 117, 29, "https://data.dgl.ai/dataset/bgs.tgz"},
	{"am", 1666764, 133, 5988321, 11, 802, 198, "https://data.dgl.ai/dataset/am.tgz"},
}

// Registry returns the benchmarks that [Open] knows by name.
func Registry() []Benchmark { return slices.Clone(registry) }

func benchmark(name string) (Benchmark, bool) {
	i := slices.IndexFunc(registry, func(b Benchmark) bool { return b.Name == name })
	if i < 0 {
		return Benchmark{}, false
	}
	return registry[i], true
}

func benchmarkNames() (all []string) {
	for _, b := range registry {
		all = append(all, b.Name)
	}
	return all
}
