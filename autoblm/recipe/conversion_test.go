package recipe_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"gonum.org/v1/gonum/floats"
)

// theirs is the loss of a batch as kbc and the programs made from it compute it:
// the mean over its triples, once in each direction, of the cross entropy of the
// tail, that of the relation weighed, and the penalty weighed.
type theirs struct {
	parameters kge.Parameters
	relations  int
	score      func(h, r, t []float64) float64
	penalty    func(h, r, t []float64) float64
	prediction float64
}

func (l theirs) loss(triples []datasets.Triple) float64 {
	row := func(table []float32, i int32, size int) []float64 {
		x := make([]float64, size)
		for n := range x {
			x[n] = float64(table[int(i)*size+n])
		}
		return x
	}
	entity := func(i int32) []float64 { return row(l.parameters.Entities, i, l.parameters.Dim) }
	relation := func(i int32) []float64 {
		return row(l.parameters.Relations, i, len(l.parameters.Relations)/(2*l.relations))
	}
	entropy := func(count int, truth int32, score func(i int32) float64) float64 {
		sum := 0.0
		for i := range int32(count) {
			sum += math.Exp(score(i))
		}
		return math.Log(sum) - score(truth)
	}
	total := 0.0
	add := func(triple datasets.Triple) {
		h, r, t := entity(triple.Head), relation(triple.Relation), entity(triple.Tail)
		total += entropy(len(l.parameters.Entities)/l.parameters.Dim, triple.Tail,
			func(i int32) float64 { return l.score(h, r, entity(i)) })
		total += l.prediction * entropy(2*l.relations, triple.Relation,
			func(i int32) float64 { return l.score(h, relation(i), t) })
		total += l.penalty(h, r, t)
	}
	for _, triple := range triples {
		add(triple)
		add(datasets.Triple{Head: triple.Tail, Relation: triple.Relation + int32(l.relations),
			Tail: triple.Head})
	}
	return total / float64(2*len(triples))
}

// modulus returns the modulus of complex number n, with its parts in chunks 1 and 3, or 2 and 4.
func modulus(x []float64, n int) float64 {
	width := len(x) / 4
	return math.Hypot(x[n], x[n+2*width])
}

// TestConversion: with the weights of the recipes, our loss of a batch is twice that of the
// authors.
func TestConversion(t *testing.T) {
	g := enginetest.Graph()
	data, batch := completion.Data(g), g.Train[:20]
	const reg, prediction = 0.3, 0.7
	cubes := func(xs ...[]float64) (sum float64) {
		for _, x := range xs {
			for n := range len(x) / 2 {
				sum += math.Pow(modulus(x, n), 3)
			}
		}
		return sum
	}
	products := func(h, r, t []float64) (sum float64) { // DURA_W
		for n := range len(h) / 2 {
			h, r, t := modulus(h, n), modulus(r, n), modulus(t, n)
			sum += 0.5*(t*t+h*h) + 1.5*(h*h*r*r+t*t*r*r)
		}
		return sum
	}
	// A vector of CP has half the size: of a head the first half, of a tail the second.
	halves := func(h, r, t []float64) (head, relation, tail []float64) {
		n := len(h) / 2
		return h[:n], r[:n], t[n:]
	}
	productsOfCP := func(h, r, t []float64) (sum float64) { // DURA_W
		h, r, t = halves(h, r, t)
		for n := range h {
			sum += 0.5*(h[n]*h[n]+t[n]*t[n]) + 1.5*r[n]*r[n]*(h[n]*h[n]+t[n]*t[n])
		}
		return sum
	}
	matrix := func(h, r, t []float64) (hr, rt []float64) { // of RESCAL, whose r is one of d²
		hr, rt = make([]float64, len(h)), make([]float64, len(t))
		for i := range h {
			for j := range t {
				hr[j] += h[i] * r[i*len(t)+j]
				rt[i] += r[i*len(t)+j] * t[j]
			}
		}
		return hr, rt
	}
	for name, penalty := range map[string]func(h, r, t []float64) float64{
		"n3":      func(h, r, t []float64) float64 { return reg * cubes(h, r, t) },
		"rp":      func(h, r, t []float64) float64 { return reg * cubes(h, r, t) },
		"dura":    func(h, r, t []float64) float64 { return reg * products(h, r, t) },
		"dura-cp": func(h, r, t []float64) float64 { return reg * productsOfCP(h, r, t) },
		"rescal": func(h, r, t []float64) float64 { // DURA_RESCAL
			hr, rt := matrix(h, r, t)
			return reg * (floats.Dot(h, h) + floats.Dot(t, t) + floats.Dot(hr, hr) + floats.Dot(rt, rt))
		},
	} {
		weight := 0.0
		if name == "rp" {
			weight = prediction
		}
		s := kge.DefaultSettings()
		s.Reciprocal, s.InitScale, s.Dim, s.Batch = true, 0.5, 16, len(batch)
		m := kge.Member{Structure: structure.MustParse("complex"), Seed: 1, LearningRate: 0.1,
			Weights: recipe.Converted(name, reg, weight)}
		score := m.Structure.Score
		switch name {
		case "dura-cp":
			m.Structure = structure.MustParse("0,1;0,0")
			score = func(h, r, t []float64) (sum float64) {
				h, r, t = halves(h, r, t)
				for n := range h {
					sum += h[n] * r[n] * t[n]
				}
				return sum
			}
		case "rescal":
			m.Form, m.Structure = form.GQE, structure.Structure{}
			score = func(h, r, t []float64) float64 {
				hr, _ := matrix(h, r, t)
				return floats.Dot(hr, t)
			}
		}
		population, err := cpu.New(1).NewPopulation(data, s, []kge.Member{m})
		if err != nil {
			t.Fatal(err)
		}
		initial := theirs{kge.Initialize(data, s, m), len(g.Relations), score, penalty, weight}
		epoch, err := population.Epoch(t.Context(), kge.BatchesOf(completion.Examples(batch)),
			[]float64{0.1})
		population.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 * initial.loss(batch); math.Abs(epoch.Loss[0]-want) > 1e-4*want {
			t.Errorf("%s: our loss is %v, twice theirs is %v", name, epoch.Loss[0], want)
		}
	}
}
