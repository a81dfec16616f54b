package datasets

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// SplitSettings configures [SplitTriples].
type SplitSettings struct {
	// Valid and Test are the wanted shares of the distinct triples, each from 0
	// up to, but not including, 1, and together below 1.
	Valid float64 `json:"valid" min:"0" below:"1" help:"Share of validation triples."`
	Test  float64 `json:"test" min:"0" below:"1" help:"Share of test triples."`
	// By is random, time or entity; "" is random. See [SplitTriples].
	By string `json:"by" default:"random" enum:"random,time,entity" brief:"${enum}." help:"What decides: random; time, so that the latest facts are test; or entity, so that all facts of a test entity are test."`
	// Seed decides which triples are held out; the same seed gives the same splits.
	Seed uint64 `json:"seed" help:"Decides which triples are held out."`
	// AllowLeakage lets facts that imply each other, as those of inverse, symmetric and duplicate
	// relations do, go to different splits.
	AllowLeakage bool `json:"allow_leakage" help:"Let facts that imply each other go to different splits."`
	// Normalize merges labels that differ only in spaces at their ends, no-break spaces, characters
	// without width and the Unicode normal form.
	Normalize bool `json:"normalize" help:"Merge labels that differ only in invisible characters, outer spaces or the Unicode form."`
}

// Values of By.
const (
	ByRandom = "random"
	ByTime   = "time"
	ByEntity = "entity"
)

// DefaultSplit returns a random split with shares of 0.1 for valid and test, and seed 1.
func DefaultSplit() SplitSettings {
	return SplitSettings{Valid: 0.1, Test: 0.1, By: ByRandom, Seed: 1}
}

// Check returns an error if the shares are impossible, or By is unknown.
func (s SplitSettings) Check() error {
	if by := []string{ByRandom, ByTime, ByEntity}; s.By != "" && !slices.Contains(by, s.By) {
		return enum.Unknown("way to split", s.By, by)
	}
	for _, share := range []float64{s.Valid, s.Test, s.Valid + s.Test} {
		if !(share >= 0 && share < 1) { // also refuses NaN
			return fmt.Errorf(
				"shares of %v for valid and %v for test: use shares of at least 0 with a sum below 1",
				s.Valid, s.Test)
		}
	}
	return nil
}

// SplitReport compares the wanted sizes of [SplitTriples] with its input.
type SplitReport struct {
	// Duplicates is the number of dropped duplicates.
	Duplicates int `json:"duplicates"`
	// WantedValid and WantedTest are the sizes according to the shares. The splits are
	// smaller when more triples must stay in train.
	WantedValid int `json:"wanted_valid"`
	WantedTest  int `json:"wanted_test"`
	// RelatedRelations is the number of pairs of relations whose facts stay together, and Together
	// the number of triples that have to stay with another one.
	RelatedRelations int `json:"related_relations"`
	Together         int `json:"together"`
	// Normalized is the number of changed labels.
	Normalized int `json:"normalized"`

	duplicate Triple // the first
}

// SplitTriples divides the training triples of a graph into train, valid and test. A graph that has
// valid or test triples already is an error; see [Graph.Resplit]. Of duplicates the first one stays,
// with its weight. The splits keep the order of the triples, and ids follow the first appearance, so
// that [WriteFolder] and [ReadFolder] reproduce the graph.
//
// A random split keeps every entity and relation in train, so fewer triples than wanted may be held
// out. A split by time puts the latest facts into test and those before into valid, and divides no
// time; only [Import] has facts with times. A split by entity draws entities, all facts of which are
// in test or valid; their other entities stay in train.
//
// Triples that imply each other by [Related] relations go to the same split: otherwise an answer
// of the test split could be read off train. A split may be smaller than wanted if no remaining
// group of them fits. By time, the earliest triple of a group decides.
func SplitTriples(g *Graph, settings SplitSettings) (*Graph, SplitReport, error) {
	if err := settings.Check(); err != nil {
		return nil, SplitReport{}, err
	}
	if err := g.ValidateIDs(); err != nil {
		return nil, SplitReport{}, fmt.Errorf("split %w", err)
	}
	if len(g.Train) == 0 {
		return nil, SplitReport{}, fmt.Errorf("split graph %s: it has no triples", g.Name)
	}
	if g.Weights != nil && len(g.Weights) != len(g.Train) {
		return nil, SplitReport{}, fmt.Errorf("split graph %s: it has %d weights for %d training triples: "+
			"give one for each", g.Name, len(g.Weights), len(g.Train))
	}
	if n, m := len(g.Valid), len(g.Test); n+m > 0 {
		return nil, SplitReport{}, fmt.Errorf("split graph %s: it has %d valid and %d test triples: "+
			"add them to train, or remove them", g.Name, n, m)
	}
	if settings.By == ByTime && g.times == nil {
		return nil, SplitReport{}, fmt.Errorf("split graph %s: its facts have no times: import files "+
			"with times, or split it in another way", g.Name)
	}
	normalized := 0
	if settings.Normalize {
		g, normalized = g.normalized()
	}
	kept := distinct(g.Train, len(g.Entities))
	triples := pick(g.Train, kept)
	s := splitting{
		SplitSettings: settings, graph: g, triples: triples, place: make([]uint8, len(triples)),
		report: SplitReport{
			Normalized:  normalized,
			Duplicates:  len(g.Train) - len(triples),
			WantedValid: int(math.Round(settings.Valid * float64(len(triples)))),
			WantedTest:  int(math.Round(settings.Test * float64(len(triples)))),
		},
	}
	if s.report.Duplicates > 0 {
		s.report.duplicate = firstDuplicate(g.Train, kept)
	}
	switch settings.By {
	case ByTime:
		s.byTime(pick(g.times, kept))
	case ByEntity:
		s.byEntity()
	default:
		s.byChance()
	}
	divided := &Graph{Name: g.Name, warnings: g.warnings}
	for i, t := range triples {
		switch s.place[i] {
		case inTrain:
			divided.Train = append(divided.Train, t)
			if g.Weights != nil {
				divided.Weights = append(divided.Weights, g.Weights[kept[i]])
			}
		case inValid:
			divided.Valid = append(divided.Valid, t)
		case inTest:
			divided.Test = append(divided.Test, t)
		}
	}
	if divided.Weights != nil && sum(divided.Weights) == 0 {
		return nil, SplitReport{}, fmt.Errorf("%s: all facts that remain for training have weight 0: "+
			"give some of them more, or hold out fewer", g.Name)
	}
	renumber(divided, g)
	return divided, s.report, nil
}

// splitting is a split while it is made.
type splitting struct {
	SplitSettings
	graph   *Graph
	triples []Triple
	place   []uint8
	report  SplitReport
}

// Splits of a triple.
const (
	inTrain uint8 = iota
	inValid
	inTest
)

// groups returns the triples that stay together, and counts them.
func (s *splitting) groups() groups {
	g := s.graph
	facts := factsByPair(triplesIn{s.triples}, len(g.Entities))
	var related []RelatedRelations
	if !s.AllowLeakage {
		related = relatedIn(triplesIn{s.triples}, facts, len(g.Entities), len(g.Relations))
	}
	all := newGroups(s.triples, facts, related)
	s.report.RelatedRelations = len(related)
	for _, first := range all.first {
		if size := all.size(first); size > 1 {
			s.report.Together += size
		}
	}
	return all
}

// byChance draws groups of triples for valid and test.
func (s *splitting) byChance() {
	all := s.groups()
	left := countOf(s.graph, s.triples)
	valids, tests := 0, 0
	report := &s.report
	for _, i := range rand.New(rand.NewPCG(s.Seed, 0)).Perm(len(all.first)) {
		group := all.first[i]
		size := all.size(group)
		fitsValid, fitsTest := valids+size <= report.WantedValid, tests+size <= report.WantedTest
		if !fitsValid && !fitsTest || !left.remove(s.triples, all.of(group)) {
			continue
		}
		// The split that lacks the larger share goes first, so that both end equally short.
		to := inTest
		if fitsValid && (!fitsTest || valids*report.WantedTest <= tests*report.WantedValid) {
			to = inValid
			valids += size
		} else {
			tests += size
		}
		for j := range all.of(group) {
			s.place[j] = to
		}
	}
}

// distinct returns the indices of the triples without duplicates, in order.
func distinct(triples []Triple, entities int) []int32 {
	facts := distinctFacts(factsByPair(triplesIn{triples}, entities))
	once := make([]int32, len(facts))
	for i, f := range facts {
		once[i] = f.index
	}
	slices.Sort(once)
	return once
}

// pick returns the items with the given indices.
func pick[T any](items []T, indices []int32) []T {
	picked := make([]T, len(indices))
	for i, index := range indices {
		picked[i] = items[index]
	}
	return picked
}

// firstDuplicate returns the first triple that is not kept.
func firstDuplicate(triples []Triple, kept []int32) Triple {
	for i, t := range triples {
		if i == len(kept) || kept[i] != int32(i) {
			return t
		}
	}
	return Triple{}
}

// renumber replaces the ids of the old graph in g by new ids, in the order of their first
// appearance, and sets the labels of g.
func renumber(g, old *Graph) {
	entities, relations := newNumbering(old.Entities), newNumbering(old.Relations)
	for _, triples := range [][]Triple{g.Train, g.Valid, g.Test} {
		for i, t := range triples {
			triples[i] = Triple{entities.id(t.Head), relations.id(t.Relation), entities.id(t.Tail)}
		}
	}
	g.Entities, g.Relations = entities.labels, relations.labels
	g.Types = old.Types.Renumber(len(g.Entities), func(e int32) int32 { return entities.ids[e] - 1 })
}

// numbering gives labels new ids in the order of their first use.
type numbering struct {
	old, labels []string
	ids         []int32 // by old id, plus 1
}

func newNumbering(old []string) *numbering {
	return &numbering{old: old, ids: make([]int32, len(old))}
}

func (n *numbering) id(old int32) int32 {
	if n.ids[old] == 0 {
		n.labels = append(n.labels, n.old[old])
		n.ids[old] = int32(len(n.labels))
	}
	return n.ids[old] - 1
}

// counts holds the number of triples of each entity and each relation.
type counts struct{ entities, relations []int }

func countOf(g *Graph, triples []Triple) counts {
	c := counts{make([]int, len(g.Entities)), make([]int, len(g.Relations))}
	for _, t := range triples {
		c.add(t, 1)
	}
	return c
}

func (c counts) add(t Triple, by int) {
	c.entities[t.Head] += by
	if t.Tail != t.Head {
		c.entities[t.Tail] += by
	}
	c.relations[t.Relation] += by
}

// remove removes a group of triples. It does nothing and returns false if an entity or a relation
// would have no triple left.
func (c counts) remove(triples []Triple, group iter.Seq[int32]) bool {
	for i := range group {
		c.add(triples[i], -1)
	}
	for i := range group {
		t := triples[i]
		if c.entities[t.Head] == 0 || c.entities[t.Tail] == 0 || c.relations[t.Relation] == 0 {
			for i := range group {
				c.add(triples[i], 1)
			}
			return false
		}
	}
	return true
}

// Resplit returns a graph with the distinct training and validation triples of g divided in
// another way, into splits of the same sizes. The number is the seed. Every entity and
// relation of train stays there, and triples that imply each other by [Related] relations stay
// together, so validation may get fewer triples. Test is unchanged and has no influence. The graph
// must be valid; see [Graph.Validate].
func (g *Graph) Resplit(number uint64) *Graph {
	both := slices.Concat(g.Train, g.Valid)
	kept := distinct(both, len(g.Entities))
	triples := pick(both, kept)
	wanted := len(triples) - len(distinct(g.Train, len(g.Entities)))
	facts := factsByPair(triplesIn{triples}, len(g.Entities))
	all := newGroups(triples, facts,
		relatedIn(triplesIn{triples}, facts, len(g.Entities), len(g.Relations)))
	left := countOf(g, triples)
	held := make([]bool, len(triples))
	for _, i := range rand.New(rand.NewPCG(number, 1)).Perm(len(all.first)) {
		group := all.first[i]
		size := all.size(group)
		if size > wanted || !left.remove(triples, all.of(group)) {
			continue
		}
		wanted -= size
		for j := range all.of(group) {
			held[j] = true
		}
	}
	divided := &Graph{
		Name: g.Name, Folder: g.Folder,
		Entities: g.Entities, Relations: g.Relations,
		Test: g.Test, Types: g.Types, falses: g.falses,
	}
	mean := float32(sum(g.Weights) / float64(len(g.Weights)))
	weight := func(triple int32) float32 { // those of valid have the mean of the others
		if int(triple) < len(g.Weights) {
			return g.Weights[triple]
		}
		return mean
	}
	for i, t := range triples {
		if held[i] {
			divided.Valid = append(divided.Valid, t)
		} else {
			divided.Train = append(divided.Train, t)
			if g.Weights != nil {
				divided.Weights = append(divided.Weights, weight(kept[i]))
			}
		}
	}
	return divided
}
