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
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/proofs"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// mixedSigns and its partner differ by the sign of entity chunk 2. The value 1 has one sign in the
// first and two in the second. No permutation and no sign of a value changes that, so they are
// not equivalent under the paper's conditions.
var mixedSigns, partner = structure.MustParse("1,1;1,2"), structure.MustParse("1,-1;-1,2")

// TestTransportKeepsScores trains models and moves them to other matrices of their
// orbits.
func TestTransportKeepsScores(t *testing.T) {
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
				checkTransport(t, m, image(random, m.Structure))
			}
		})
	}
}

// TestTransportBeyondThePaper transports between a pair that the paper's Proposition 3 misses.
func TestTransportBeyondThePaper(t *testing.T) {
	if _, ok := mixedSigns.SymmetryTo(partner, structure.Paper); ok {
		t.Errorf("the paper's group joins %s and %s", mixedSigns, partner)
	}
	checkTransport(t, train(t, datasets.World(), 24, 8, []structure.Structure{mixedSigns})[0], partner)
}

// TestTransportOfAnyModel uses embeddings of integers, whose scores are exact.
func TestTransportOfAnyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyStructure(t)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		width := rapid.IntRange(1, 3).Draw(t, "chunk width")
		m := &kge.Model{Parameters: kge.Parameters{
			Structure: a, Dim: a.K() * width, Reciprocal: rapid.Bool().Draw(t, "reciprocal"),
			Tables: kge.Tables{Entities: wholeNumbers(random, 3*a.K()*width),
				Relations: wholeNumbers(random, 2*a.K()*width)},
		}}
		if rapid.Bool().Draw(t, "translated") {
			m.Form, m.More = form.Translated, [][]float32{wholeNumbers(random, 2*a.K()*width)}
		}
		moved, err := proofs.Transport(m, image(random, a))
		if err != nil {
			t.Fatal(err)
		}
		for triple := range allTriples(3, 2) {
			if want, got := scoreOf(m, triple), scoreOf(moved, triple); got != want {
				t.Fatalf("%v: %s scores %v, %s scores %v", triple, a, want, moved.Structure, got)
			}
		}
		if moved.Form != m.Form || moved.Reciprocal != m.Reciprocal {
			t.Fatalf("%v, reciprocal %v, becomes %v, %v", m.Form, m.Reciprocal, moved.Form, moved.Reciprocal)
		}
		back, err := proofs.Transport(moved, a)
		if err != nil {
			t.Fatal(err)
		}
		if back.Compare(m.Parameters) != 0 {
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
	m := &kge.Model{Parameters: kge.Parameters{Form: form.RotatE, Dim: 2}}
	if _, err := proofs.Transport(m, mixedSigns); err == nil || !strings.Contains(err.Error(), "no structure") {
		t.Errorf("a form without a structure: %v", err)
	}
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

// checkTransport moves a model to an equivalent structure and compares the scores of some triples.
// They differ by rounding, because the order of a sum changes.
func checkTransport(t *testing.T, m *kge.Model, to structure.Structure) {
	t.Helper()
	moved, err := proofs.Transport(m, to)
	if err != nil {
		t.Fatal(err)
	}
	for triple := range allTriples(10, int32(len(m.RelationLabels))) {
		want, got := scoreOf(m, triple), scoreOf(moved, triple)
		if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
			t.Fatalf("%v: %s scores %v, %s scores %v", triple, m.Structure, want, to, got)
		}
	}
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
