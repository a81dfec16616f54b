package completion_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// ogbFolders has small folders in the layouts of OGB, and what OGB's Evaluator says about the model
// of ogbModel; see write.py there.
const ogbFolders = "../../datasets/testdata/ogb"

// ogbModel returns the DistMult of write.py, whose scores are whole numbers with many ties.
func ogbModel(g *datasets.Graph) *kge.Model {
	m := &kge.Model{EntityLabels: g.Entities, RelationLabels: g.Relations}
	m.Structure, m.Dim = structure.MustParse("distmult"), 4
	fill := func(rows, salt int) (numbers []float32) {
		for i := range rows {
			for k := range 4 {
				numbers = append(numbers, float32((7*i+3*k*k+salt)%5-2))
			}
		}
		return numbers
	}
	m.Entities, m.Relations = fill(len(g.Entities), 0), fill(len(g.Relations), 1)
	return m
}

// TestGivenNegativesAreRankedAsByOGB compares the ranks of both sides with those of OGB's Evaluator,
// triple by triple, also for a model with other ids.
func TestGivenNegativesAreRankedAsByOGB(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(ogbFolders, "evaluator.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]map[string]json.RawMessage
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	ties := 0
	for folder, splits := range all {
		g, err := datasets.ReadFolder(filepath.Join(ogbFolders, folder))
		if err != nil {
			t.Fatal(err)
		}
		m := ogbModel(g)
		reversed := slices.Clone(m.EntityLabels)
		slices.Reverse(reversed)
		other, err := m.Reorder(reversed, m.RelationLabels)
		if err != nil {
			t.Fatal(err)
		}
		for split, lists := range splits {
			list := func(key string) (values []float64) {
				if err := json.Unmarshal(lists[key], &values); err != nil {
					t.Fatal(err)
				}
				return values
			}
			heads, tails := list("head mrr_list"), list("tail mrr_list")
			for _, m := range []*kge.Model{m, other} {
				p := completion.Single{Model: m}
				triples, ranks, unknown, err := completion.RankGiven(t.Context(), p, g, split, 0)
				if err != nil || unknown != 0 || len(ranks) != len(heads) || len(triples) != len(heads) {
					t.Fatalf("%s %s: %d ranks, want %d (%v)", folder, split, len(ranks), len(heads), err)
				}
				for i, r := range ranks {
					// The Evaluator rounds reciprocal ranks to float32.
					head := float64(float32(1 / r.Head.Under(eval.Realistic)))
					tail := float64(float32(1 / r.Tail.Under(eval.Realistic)))
					if math.Abs(head-heads[i]) > 1e-12 || math.Abs(tail-tails[i]) > 1e-12 {
						t.Errorf("%s %s %d: reciprocal ranks %v and %v, want %v and %v", folder, split, i,
							head, tail, heads[i], tails[i])
					}
					ties += int(r.Head.Equal + r.Tail.Equal)
				}
				e := completion.Summarize(ranks, eval.Realistic)
				for key, got := range map[string]float64{
					"head hits@1_list": e.Head.Hits1, "head hits@3_list": e.Head.Hits3,
					"head hits@10_list": e.Head.Hits10, "tail hits@1_list": e.Tail.Hits1,
					"tail hits@3_list": e.Tail.Hits3, "tail hits@10_list": e.Tail.Hits10,
				} {
					sum := 0.0
					for _, value := range list(key) {
						sum += value
					}
					if want := sum / float64(len(ranks)); math.Abs(got-want) > 1e-12 {
						t.Errorf("%s %s: %s is %v, want %v", folder, split, key, got, want)
					}
				}
			}
		}
	}
	if ties < 20 {
		t.Errorf("%d ties prove little", ties)
	}
}

// TestGivenNegativesOfSamples checks that a sample has the ranks of the same triples, that a model
// without an entity leaves it out, and that a graph without negatives has no ranks.
func TestGivenNegativesOfSamples(t *testing.T) {
	g, err := datasets.ReadFolder(filepath.Join(ogbFolders, "biokg"))
	if err != nil {
		t.Fatal(err)
	}
	p := completion.Single{Model: ogbModel(g)}
	triples, ranks, _, err := completion.RankGiven(t.Context(), p, g, "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	some, ranksOfSome, _, err := completion.RankGiven(t.Context(), p, g, "test", 3)
	if err != nil || !slices.Equal(some, eval.Sample(triples, 3)) ||
		!slices.Equal(ranksOfSome, eval.Sample(ranks, 3)) {
		t.Errorf("a sample of %v (%v) has the ranks %v of %v", some, err, ranksOfSome, ranks)
	}
	last := len(g.Entities) - 1
	m := *p.Model
	m.EntityLabels, m.Entities = m.EntityLabels[:last], m.Entities[:4*last]
	known, _, unknown, err := completion.RankGiven(t.Context(), completion.Single{Model: &m}, g, "test", 0)
	without := 0
	for _, f := range g.Test {
		if int(f.Head) < last && int(f.Tail) < last {
			without++
		}
	}
	if err != nil || len(known) != without || unknown == 0 {
		t.Errorf("%d triples without an entity, want %d; %d unknown (%v)", len(known), without, unknown, err)
	}
	world := datasets.World()
	if _, ranks, _, err := completion.RankGiven(t.Context(), p, world, "test", 0); ranks != nil || err != nil {
		t.Errorf("world has the ranks %v (%v)", ranks, err)
	}
}
