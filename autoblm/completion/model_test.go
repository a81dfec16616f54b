package completion

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

func TestAlignWithTheSameIDs(t *testing.T) {
	m, g := smallModel(), smallGraph()
	aligned, err := m.Align(g)
	if err != nil || aligned != g {
		t.Errorf("%p (%v), want the graph itself", aligned, err)
	}
}

// named writes triples with their labels.
func named(g *datasets.Graph, triples []datasets.Triple) [][3]string {
	var all [][3]string
	for _, t := range triples {
		all = append(all, [3]string{g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail]})
	}
	return all
}

// renumbered is g with other ids: those at the given places come one after the other.
func renumbered(g *datasets.Graph, entities, relations []int) *datasets.Graph {
	pick := func(labels []string, order []int) (picked []string) {
		for _, i := range order {
			picked = append(picked, labels[i])
		}
		return picked
	}
	move := func(triples []datasets.Triple) (moved []datasets.Triple) {
		for _, t := range triples {
			moved = append(moved, datasets.Triple{
				Head:     int32(slices.Index(entities, int(t.Head))),
				Relation: int32(slices.Index(relations, int(t.Relation))),
				Tail:     int32(slices.Index(entities, int(t.Tail))),
			})
		}
		return moved
	}
	return &datasets.Graph{
		Name: g.Name, Entities: pick(g.Entities, entities), Relations: pick(g.Relations, relations),
		Train: move(g.Train), Valid: move(g.Valid), Test: move(g.Test),
	}
}

func TestAlignGoesByLabel(t *testing.T) {
	m := smallModel()
	m.EntityLabels = append(m.EntityLabels, "only in the model")
	m.Entities = append(m.Entities, make([]float32, m.Dim)...)
	rapid.Check(t, func(t *rapid.T) {
		entities := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}).Draw(t, "entities")
		relations := rapid.Permutation([]int{0, 1}).Draw(t, "relations")
		g := renumbered(smallGraph(), entities, relations)
		aligned, err := m.Align(g)
		if err != nil {
			t.Fatal(err)
		}
		if aligned.Name != g.Name || !slices.Equal(aligned.Entities, m.EntityLabels) || !slices.Equal(aligned.Relations, m.RelationLabels) {
			t.Fatalf("the labels are %v and %v: want all of the model as candidates", aligned.Entities, aligned.Relations)
		}
		for _, split := range []string{"train", "valid", "test"} {
			before, _ := g.Split(split)
			after, _ := aligned.Split(split)
			if !slices.Equal(named(g, before), named(aligned, after)) {
				t.Fatalf("%s: %v became %v", split, named(g, before), named(aligned, after))
			}
		}
	})
}

func TestAlignNamesWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*datasets.Graph)
		parts []string
	}{
		"a head":            {func(g *datasets.Graph) { g.Test[0].Head = 7 }, []string{`no entity "Atlantis"`, "small"}},
		"a tail":            {func(g *datasets.Graph) { g.Valid[2].Tail = 7 }, []string{`no entity "Atlantis"`, "small"}},
		"a relation":        {func(g *datasets.Graph) { g.Train[3].Relation = 2 }, []string{`no relation "loathes"`, "small"}},
		"none is mentioned": {func(*datasets.Graph) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := smallGraph()
			g.Entities, g.Relations = append(g.Entities, "Atlantis"), append(g.Relations, "loathes")
			test.spoil(g)
			_, err := smallModel().Align(g)
			if test.parts != nil {
				checkError(t, err, test.parts...)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRankSplit(t *testing.T) {
	m, g := smallModel(), smallGraph()
	for split, want := range map[string][]datasets.Triple{"train": g.Train, "valid": g.Valid, "test": g.Test} {
		engine := &scriptedEngine{better: func(_, member int) int32 { return int32(3 * member) }}
		triples, ranks, err := RankSplit(t.Context(), engine, []*Model{m, m}, g, split)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triples, want) || !slices.Equal(engine.rankedSplit, want) || engine.rankedKnown != g.Known() || engine.closed != 1 {
			t.Errorf("%s: other triples or known answers were ranked than those of the graph", split)
		}
		if len(ranks) != 2 || len(ranks[1]) != len(want) || ranks[1][0].Tail.Better != 3 || len(engine.parameters) != 2 {
			t.Errorf("%s: ranks %v", split, ranks)
		}
	}
	engine := &scriptedEngine{better: func(_, _ int) int32 { return 3 }}
	e, err := Evaluate(t.Context(), engine, m, g, "test", Optimistic)
	if err != nil || e.Triples != 2 || e.Ties != Optimistic || e.Both.MRR != 1.0/4 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestRankSplitRefuses(t *testing.T) {
	rank := func(g *datasets.Graph, split string, models ...*Model) error {
		_, _, err := RankSplit(t.Context(), &scriptedEngine{}, models, g, split)
		return err
	}
	m := smallModel()
	checkError(t, rank(smallGraph(), "dev", m), `"dev"`, "train, valid or test")
	checkError(t, rank(smallGraph(), "test"), "at least one")

	empty := smallGraph()
	empty.Test = nil
	checkError(t, rank(empty, "test", m), "small has no test triples")

	other := renumbered(smallGraph(), []int{1, 0, 2, 3, 4, 5, 6}, []int{0, 1})
	checkError(t, rank(other, "test", m), "Model.Align")
	other = renumbered(smallGraph(), []int{0, 1, 2, 3, 4, 5, 6}, []int{1, 0})
	checkError(t, rank(other, "test", m), "Model.Align")

	spoilt := smallModel()
	spoilt.Relations[3] = float32(math.Inf(1))
	checkError(t, rank(smallGraph(), "test", m, spoilt), "not finite", spoilt.Structure.String(), "smaller learning rate")

	if _, err := Evaluate(t.Context(), &scriptedEngine{failPopulation: true}, m, smallGraph(), "test", Pessimistic); !errors.Is(err, errScripted) {
		t.Errorf("error %v, want that of the engine", err)
	}
}

// oracleCase is a batch scored in float64 by another program.
type oracleCase struct {
	K          int
	D          int
	A          []int
	Entities   [][]float32
	Relations  [][]float32
	Triples    [][3]int32
	TailScores [][]float64 `json:"tail_scores"` // [triples][entities]
	HeadScores [][]float64 `json:"head_scores"`
}

func (c oracleCase) model(t *testing.T) *Model {
	t.Helper()
	s, err := structure.New(slices.Collect(slices.Chunk(c.A, c.K)))
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Parameters: Parameters{Structure: s, Dim: c.D, Entities: slices.Concat(c.Entities...), Relations: slices.Concat(c.Relations...)}}
	for i := range c.Entities {
		m.EntityLabels = append(m.EntityLabels, fmt.Sprint("e", i))
	}
	for i := range c.Relations {
		m.RelationLabels = append(m.RelationLabels, fmt.Sprint("r", i))
	}
	return m
}

// nearOracle allows for embeddings in float32 and printed digits.
func nearOracle(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Max(1, math.Abs(b)) }

func TestScoresOfTheOracle(t *testing.T) {
	for n, c := range realdata.Oracle[oracleCase](t, "steps.json") {
		m := c.model(t)
		for i, o := range c.Triples {
			for e := range int32(len(c.Entities)) {
				tail := datasets.Triple{Head: o[0], Relation: o[1], Tail: e}
				if got, want := m.Score(tail), c.TailScores[i][e]; !nearOracle(got, want) {
					t.Errorf("case %d, %v: score %v, the oracle has %v", n, tail, got, want)
				}
				head := datasets.Triple{Head: e, Relation: o[1], Tail: o[2]}
				if got, want := m.Score(head), c.HeadScores[i][e]; !nearOracle(got, want) {
					t.Errorf("case %d, %v: score %v, the oracle has %v", n, head, got, want)
				}
			}
		}
	}
}
