package proofs_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/proofs"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

// mixedSigns and its partner differ by the sign of entity chunk 2. The value 1 has one sign in the
// first and two in the second. No permutation and no sign of a value changes that, so they are
// not equivalent under the paper's conditions.
var mixedSigns, partner = structure.MustParse("1,1;1,2"), structure.MustParse("1,-1;-1,2")

// TestTransportKeepsRanks trains models and moves them to other matrices of their
// orbits.
func TestTransportKeepsRanks(t *testing.T) {
	g := datasets.World()
	structures := map[int][]structure.Structure{2: {mixedSigns}}
	for _, named := range structure.Baselines() {
		structures[4] = append(structures[4], named.Structure)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 2 {
		structures[3] = append(structures[3], notDegenerate(random, 3, 5))
		structures[4] = append(structures[4], notDegenerate(random, 4, 9))
	}
	for k := 2; k <= 4; k++ {
		t.Run(fmt.Sprintf("K=%d", k), func(t *testing.T) {
			for _, m := range train(t, g, 24, 8, structures[k]) {
				checkTransport(t, g, m, image(random, m.Structure), image(random, m.Structure))
			}
		})
	}
}

func TestTransportKeepsRanksOnUMLS(t *testing.T) {
	g, err := datasets.Open(realdata.Folder(t, "umls"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for _, m := range train(t, g, 64, 15, []structure.Structure{structure.MustParse("complex"),
		notDegenerate(random, 4, 8)}) {
		checkTransport(t, g, m, image(random, m.Structure))
	}
}

// TestTransportBeyondThePaper transports between a pair that the paper's Proposition 3 misses.
func TestTransportBeyondThePaper(t *testing.T) {
	if _, ok := mixedSigns.SymmetryTo(partner, structure.Paper); ok {
		t.Errorf("the paper's group joins %s and %s", mixedSigns, partner)
	}
	g := datasets.World()
	checkTransport(t, g, train(t, g, 24, 8, []structure.Structure{mixedSigns})[0], partner)
}

// TestTransportOfAnyModel uses embeddings of integers, whose scores are exact.
func TestTransportOfAnyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		width := rapid.IntRange(1, 3).Draw(t, "chunk width")
		m := &kge.Model{Parameters: kge.Parameters{
			Structure: a, Dim: a.K() * width,
			Tables: kge.Tables{Entities: wholeNumbers(random, 3*a.K()*width),
				Relations: wholeNumbers(random, 2*a.K()*width)},
		}}
		moved, err := proofs.Transport(m, image(random, a))
		if err != nil {
			t.Fatal(err)
		}
		for triple := range allTriples(3, 2) {
			if want, got := scoreOf(m, triple), scoreOf(moved, triple); got != want {
				t.Fatalf("%v: %s scores %v, %s scores %v", triple, a, want, moved.Structure, got)
			}
		}
		back, err := proofs.Transport(moved, a)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(back.Entities, m.Entities) || !slices.Equal(back.Relations, m.Relations) {
			t.Fatalf("from %s to %s and back: %v, %v", a, moved.Structure, back.Parameters, m.Parameters)
		}
	})
}

func scoreOf(m *kge.Model, t datasets.Triple) float64 {
	return completion.TailScores(m, t.Head, t.Relation)(t.Tail)
}

// TestTransportRefuses checks structures that differ in a property that is constant on orbits.
func TestTransportRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyStructure(t), anyStructure(t)
		if a.K() == b.K() && a.Nonzeros() == b.Nonzeros() && a.FullyExpressive() == b.FullyExpressive() &&
			slices.Equal(a.DegenerateModes(), b.DegenerateModes()) {
			t.Skip("possibly equivalent")
		}
		m := &kge.Model{Parameters: kge.Parameters{Structure: a, Dim: a.K(),
			Tables: kge.Tables{Entities: make([]float32, a.K()), Relations: make([]float32, a.K())}}}
		if _, err := proofs.Transport(m, b); err == nil ||
			!strings.Contains(err.Error(), "not equivalent") {
			t.Fatalf("from %s to %s: error %v", a, b, err)
		}
	})
}

// train trains a model of each structure, all of one K.
func train(t *testing.T, g *datasets.Graph, dim, epochs int,
	structures []structure.Structure) []*kge.Model {
	t.Helper()
	settings := kge.DefaultSettings()
	settings.Dim, settings.Epochs = dim, epochs
	var members []kge.Member
	for _, s := range structures {
		members = append(members, kge.DefaultMember(s))
	}
	engine := cpu.New(0)
	defer engine.Close()
	report, err := kge.Train(t.Context(), engine,
		kge.Job{Data: completion.Data(g), Settings: settings, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	var models []*kge.Model
	for _, result := range report.Results {
		if result.Err != nil {
			t.Fatalf("%s: %v", result.Member.Structure, result.Err)
		}
		models = append(models, result.Model)
	}
	return models
}

// checkTransport moves a model to equivalent structures and compares their ranks for each triple:
// exactly with fixed-point scores, and up to rounding with the engine.
func checkTransport(t *testing.T, g *datasets.Graph, m *kge.Model, images ...structure.Structure) {
	t.Helper()
	models := []*kge.Model{m}
	for _, to := range images {
		moved, err := proofs.Transport(m, to)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, moved)
	}
	engine := cpu.New(0)
	defer engine.Close()
	triples, byEngine, err := completion.RankSplit(t.Context(), engine, kge.Float32, models, g, "test")
	if err != nil {
		t.Fatal(err)
	}
	var exact []ranked
	for i, model := range models {
		ranks := rankAll(model, triples, g.Known())
		if i == 0 {
			exact = ranks
		}
		for n, r := range ranks {
			if r != exact[n] {
				t.Fatalf("%v: %s ranks it %v, and %s %v", triples[n], m.Structure, exact[n], model.Structure, r)
			}
			if !r.tail.allows(byEngine[i][n].Tail) || !r.head.allows(byEngine[i][n].Head) {
				t.Fatalf("%v, moved from %s to %s: the engine counts %v, exact is %v", triples[n], m.Structure,
					model.Structure, byEngine[i][n], r)
			}
		}
	}
	// Metrics may differ, because close candidates may fall on either side.
	lowest, highest := make([]eval.Ranked, len(triples)), make([]eval.Ranked, len(triples))
	for n, r := range exact {
		lowest[n] = eval.Ranked{Tail: eval.Rank{Better: r.tail.surelyBetter},
			Head: eval.Rank{Better: r.head.surelyBetter}}
		highest[n] = eval.Ranked{Tail: eval.Rank{Better: r.tail.surelyBetter + r.tail.close},
			Head: eval.Rank{Better: r.head.surelyBetter + r.head.close}}
	}
	slack := mrr(lowest) - mrr(highest)
	for i, model := range models[1:] {
		if difference := math.Abs(mrr(byEngine[i+1]) - mrr(byEngine[0])); difference > slack+1e-12 {
			t.Errorf("the MRR of %s and %s differ by %v; rounding explains %v", m.Structure, model.Structure,
				difference, slack)
		}
	}
	t.Logf("%s and %s: the engine's MRR %.4f, known up to %.1e", m.Structure, images, mrr(byEngine[0]),
		slack)
}

func mrr(ranks []eval.Ranked) float64 {
	return completion.Summarize(ranks, eval.Pessimistic).Both.MRR
}

type ranked struct{ tail, head tally }

func rankAll(m *kge.Model, triples []datasets.Triple, known *datasets.Known) []ranked {
	ranks := make([]ranked, len(triples))
	for n, triple := range triples {
		tail := query{triple.Tail, known.Tails(triple.Head, triple.Relation),
			func(e int32) datasets.Triple {
				return datasets.Triple{Head: triple.Head, Relation: triple.Relation, Tail: e}
			}}
		head := query{triple.Head, known.Heads(triple.Relation, triple.Tail),
			func(e int32) datasets.Triple {
				return datasets.Triple{Head: e, Relation: triple.Relation, Tail: triple.Tail}
			}}
		ranks[n] = ranked{tail.rank(m), head.rank(m)}
	}
	return ranks
}

// query asks for the head or tail of a triple. Known answers are not candidates.
type query struct {
	answer int32
	known  []int32
	with   func(entity int32) datasets.Triple
}

// tally counts the candidates for a query like eval.Rank. It also counts those whose scores are so
// close to the true one that float32 may rank them differently, and those that are surely better.
type tally struct{ better, equal, surelyBetter, close int32 }

func (q query) rank(m *kge.Model) tally {
	var count tally
	score, rounding := fixedScore(m, q.with(q.answer))
	for e := range int32(len(m.EntityLabels)) {
		if _, isKnown := slices.BinarySearch(q.known, e); isKnown {
			continue
		}
		other, otherRounding := fixedScore(m, q.with(e))
		switch {
		case other > score:
			count.better++
		case other == score:
			count.equal++
		}
		switch difference := other - score; {
		case max(difference, -difference) <= rounding+otherRounding:
			count.close++
		case difference > 0:
			count.surelyBetter++
		}
	}
	return count
}

// allows reports whether rounding in float32 explains a rank.
func (c tally) allows(r eval.Rank) bool {
	return c.surelyBetter <= r.Better && r.Better+r.Equal <= c.surelyBetter+c.close
}

// fixedScore returns the score in units of 2⁻⁴⁰ and the error bound of float32. A symmetry
// changes the order of a sum, which changes floating-point results. Integer sums do not depend on
// the order: each product of three numbers is rounded on its own, equally in both models.
func fixedScore(m *kge.Model, triple datasets.Triple) (score, rounding int64) {
	k, width := m.Structure.K(), m.Dim/m.Structure.K()
	head, relation, tail := m.Entities[int(triple.Head)*m.Dim:],
		m.Relations[int(triple.Relation)*m.Dim:], m.Entities[int(triple.Tail)*m.Dim:]
	var magnitude, terms int64
	for i := range k {
		for j := range k {
			value := m.Structure.At(i, j)
			if value == 0 {
				continue
			}
			chunk := max(value, -value) - 1
			for n := range width {
				product := float64(head[i*width+n]) * float64(relation[chunk*width+n]) *
					float64(tail[j*width+n])
				if value < 0 {
					product = -product
				}
				units := int64(math.Round(product * (1 << 40)))
				score += units
				magnitude += max(units, -units)
				terms++
			}
		}
	}
	return score, magnitude*(terms+4)>>24 + terms
}

// notDegenerate draws a structure with the given number of nonzeros.
func notDegenerate(random *rand.Rand, k, nonzeros int) structure.Structure {
	for {
		s := structure.Zero(k)
		for _, cell := range random.Perm(k * k)[:nonzeros] {
			s = s.With(cell/k, cell%k, (1-2*random.IntN(2))*(1+random.IntN(k)))
		}
		if !s.Degenerate() {
			return s
		}
	}
}

// image returns a random matrix of the orbit of a, by the definition: it permutes chunks and
// values and changes their signs.
func image(random *rand.Rand, a structure.Structure) structure.Structure {
	k := a.K()
	sign := func() int { return 1 - 2*random.IntN(2) }
	order, names := random.Perm(k), random.Perm(k)
	flips, valueSigns := make([]int, k), make([]int, k)
	for i := range k {
		flips[i], valueSigns[i] = sign(), sign()
	}
	b := structure.Zero(k)
	for i := range k {
		for j := range k {
			value := a.At(order[i], order[j])
			if value == 0 {
				continue
			}
			chunk := max(value, -value) - 1
			b = b.With(i, j, flips[i]*flips[j]*valueSigns[chunk]*(value/(chunk+1))*(names[chunk]+1))
		}
	}
	return b
}

func wholeNumbers(random *rand.Rand, n int) []float32 {
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(random.IntN(19) - 9)
	}
	return numbers
}

func allTriples(entities, relations int32) iter.Seq[datasets.Triple] {
	return func(yield func(datasets.Triple) bool) {
		for h := range entities {
			for r := range relations {
				for t := range entities {
					if !yield(datasets.Triple{Head: h, Relation: r, Tail: t}) {
						return
					}
				}
			}
		}
	}
}
