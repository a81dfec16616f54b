package completion_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// weighted returns a graph whose facts of relation 1 have another weight than the others.
func weighted(weight float32) *datasets.Graph {
	g := datasets.World()
	g.Weights = make([]float32, len(g.Train))
	for i, t := range g.Train {
		if g.Weights[i] = 1; t.Relation == 1 {
			g.Weights[i] = weight
		}
	}
	return g
}

// TestWeightsOfFacts checks the weights of examples against a count by hand, alone and in groups.
func TestWeightsOfFacts(t *testing.T) {
	g := weighted(3)
	heavy := 0
	for _, triple := range g.Train {
		if triple.Relation == 1 {
			heavy++
		}
	}
	mean := (float64(len(g.Train)) + 2*float64(heavy)) / float64(len(g.Train))
	for _, grouped := range []int{0, 4} {
		s := recipe.ForGraph(g, form.Bilinear).Training
		s.AnswersPerQuery, s.Frequency = grouped, 0
		sum, count := 0.0, 0.0
		for _, batch := range completion.Data(g).Batches(s, 1).All() {
			for _, x := range batch {
				want := 1 / mean
				if x.Path[0]/2 == 1 {
					want = 3 / mean
				}
				back := want
				if grouped > 0 {
					back = 0 // each direction is an example of its own
				}
				if math.Abs(float64(x.Weight)-want) > 1e-6 || math.Abs(float64(x.BackWeight)-back) > 1e-6 ||
					math.Abs(float64(x.FactWeight)-want) > 1e-6 {
					t.Fatalf("weights %v, %v and %v, want %v", x.Weight, x.BackWeight, x.FactWeight, want)
				}
				sum, count = sum+float64(x.Weight), count+1
			}
		}
		if math.Abs(sum/count-1) > 1e-4 {
			t.Errorf("mean weight %v", sum/count)
		}
	}
}

// TestWeightsChangeTheLoss trains with weights: equal ones change nothing, and without weight the
// facts of a relation are not learned.
func TestWeightsChangeTheLoss(t *testing.T) {
	native := cpu.New(1)
	defer native.Close()
	general, err := gomlx.New(gomlx.Settings{Backend: backend.Go})
	if err != nil {
		t.Fatal(err)
	}
	defer general.Close()
	train := func(engine kge.Engine, g *datasets.Graph) kge.Result {
		r := recipe.ForGraph(g, form.Bilinear)
		r.Training.Dim, r.Training.Epochs, r.Training.ValidateEvery = 16, 3, 0
		r.Training.Patience = 0
		a, err := structure.Parse("complex")
		if err != nil {
			t.Fatal(err)
		}
		report, err := kge.Train(t.Context(), engine, kge.Job{
			Data: completion.Data(g), Settings: r.Training, Members: []kge.Member{r.Member(a, 1)}})
		if err != nil {
			t.Fatal(err)
		}
		return report.Results[0]
	}
	none := datasets.World()
	plain, equal, without := train(native, none), train(native, weighted(1)), train(native, weighted(0))
	other := train(general, weighted(0))
	for i := range plain.Loss {
		if plain.Loss[i] != equal.Loss[i] {
			t.Errorf("epoch %d: loss %v, with equal weights %v", i+1, plain.Loss[i], equal.Loss[i])
		}
	}
	if plain.Loss[2] == without.Loss[2] {
		t.Error("the weights have no influence")
	}
	for i, loss := range without.Loss {
		if math.Abs(other.Loss[i]-loss) > 1e-4*loss {
			t.Errorf("epoch %d: loss %v, of gomlx %v", i+1, loss, other.Loss[i])
		}
	}
}

// TestWeightsOfDuplicates: copies of a triple share the mean of their weights.
func TestWeightsOfDuplicates(t *testing.T) {
	a, b := datasets.Triple{Head: 0, Relation: 0, Tail: 1}, datasets.Triple{Head: 1, Relation: 0, Tail: 2}
	g := &datasets.Graph{
		Entities: []string{"a", "b", "c"}, Relations: []string{"r"},
		Train: []datasets.Triple{a, a, b, a}, Weights: []float32{1, 7, 1, 4},
	}
	s := recipe.Basic().Training
	for _, batch := range completion.Data(g).Batches(s, 1).All() {
		for _, x := range batch {
			want := float32(4 / 3.25)
			if x.Anchor == b.Head {
				want = 1 / 3.25
			}
			if math.Abs(float64(x.Weight-want)) > 1e-6 {
				t.Errorf("%+v: want the weight %v", x, want)
			}
		}
	}
}

// TestFoldInKeepsWeights: the triples of new labels keep their weights, unless all are 0.
func TestFoldInKeepsWeights(t *testing.T) {
	g := weighted(3)
	m := &kge.Model{EntityLabels: g.Entities[1:], RelationLabels: g.Relations}
	few := completion.NewFacts(m, g)
	for i, x := range few.Train {
		want := float32(1)
		if few.Relations[x.Relation] == g.Relations[1] {
			want = 3
		}
		if few.Weights[i] != want {
			t.Fatalf("%v has the weight %v, want %v", x, few.Weights[i], want)
		}
	}
	clear(g.Weights)
	if few := completion.NewFacts(m, g); few.Weights != nil || len(few.Train) == 0 {
		t.Errorf("%d weights of %d triples", len(few.Weights), len(few.Train))
	}
}
