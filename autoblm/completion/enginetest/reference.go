package enginetest

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// reference is one model in float64, trained straight from the definitions.
type reference struct {
	member     completion.Member
	optimizer  completion.Optimizer
	dim        int
	parameters [2][]float64 // entities, relations
	gradients  [2][]float64
	slots      [2][2][]float64
	steps      int
}

func newReference(g *datasets.Graph, s completion.Settings, m completion.Member) *reference {
	p := completion.InitialParameters(m.Structure, len(g.Entities), len(g.Relations), s.Dim, s.InitScale, m.Seed)
	r := &reference{member: m, optimizer: s.Optimizer, dim: s.Dim, parameters: [2][]float64{widen(p.Entities), widen(p.Relations)}}
	for i, table := range r.parameters {
		r.gradients[i] = make([]float64, len(table))
		r.slots[i] = [2][]float64{make([]float64, len(table)), make([]float64, len(table))}
	}
	return r
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func (r *reference) entity(id int32) []float64   { return r.parameters[0][int(id)*r.dim:][:r.dim] }
func (r *reference) relation(id int32) []float64 { return r.parameters[1][int(id)*r.dim:][:r.dim] }

func (r *reference) score(t datasets.Triple) float64 {
	return r.member.Structure.Score(r.entity(t.Head), r.relation(t.Relation), r.entity(t.Tail))
}

// addScoreGradient adds weight times the gradient of a triple's score.
func (r *reference) addScoreGradient(t datasets.Triple, weight float64) {
	gradientOf := func(table int, id int32) []float64 { return r.gradients[table][int(id)*r.dim:][:r.dim] }
	k := r.member.Structure.K()
	width := r.dim / k
	h, rel, tail := r.entity(t.Head), r.relation(t.Relation), r.entity(t.Tail)
	gh, gr, gt := gradientOf(0, t.Head), gradientOf(1, t.Relation), gradientOf(0, t.Tail)
	for i := range k {
		for j := range k {
			value := r.member.Structure.At(i, j)
			if value == 0 {
				continue
			}
			sign, chunk := weight, value-1
			if value < 0 {
				sign, chunk = -weight, -value-1
			}
			for n := range width {
				a, b, c := i*width+n, chunk*width+n, j*width+n
				gh[a] += sign * rel[b] * tail[c]
				gr[b] += sign * h[a] * tail[c]
				gt[c] += sign * h[a] * rel[b]
			}
		}
	}
}

// step trains on a batch and returns its mean loss per triple.
func (r *reference) step(batch []datasets.Triple, rate float64) float64 {
	for _, g := range r.gradients {
		clear(g)
	}
	loss, weight := 0.0, 1/float64(len(batch))
	entities := len(r.parameters[0]) / r.dim
	for _, t := range batch {
		for _, side := range []func(e int) datasets.Triple{
			func(e int) datasets.Triple {
				return datasets.Triple{Head: t.Head, Relation: t.Relation, Tail: int32(e)}
			},
			func(e int) datasets.Triple {
				return datasets.Triple{Head: int32(e), Relation: t.Relation, Tail: t.Tail}
			},
		} {
			total := 0.0
			for e := range entities {
				total += math.Exp(r.score(side(e)))
			}
			loss += weight * (math.Log(total) - r.score(t))
			for e := range entities {
				r.addScoreGradient(side(e), weight*math.Exp(r.score(side(e)))/total)
			}
			r.addScoreGradient(t, -weight)
		}
		for _, row := range []struct {
			table int
			id    int32
		}{{0, t.Head}, {1, t.Relation}, {0, t.Tail}} {
			for n := int(row.id) * r.dim; n < (int(row.id)+1)*r.dim; n++ {
				x := r.parameters[row.table][n]
				loss += weight * (r.member.L2*x*x + r.member.N3*math.Abs(x*x*x))
				r.gradients[row.table][n] += weight * (2*r.member.L2*x + 3*r.member.N3*x*math.Abs(x))
			}
		}
	}
	r.update(rate)
	return loss
}

func (r *reference) update(rate float64) {
	r.steps++
	for table, parameters := range r.parameters {
		for n, g := range r.gradients[table] {
			first, second := &r.slots[table][0][n], &r.slots[table][1][n]
			switch r.optimizer {
			case completion.Adagrad:
				*first += g * g
				parameters[n] -= rate * g / (math.Sqrt(*first) + 1e-10)
			case completion.Adam:
				*first = 0.9**first + 0.1*g
				*second = 0.999**second + 0.001*g*g
				mean := *first / (1 - math.Pow(0.9, float64(r.steps)))
				square := *second / (1 - math.Pow(0.999, float64(r.steps)))
				parameters[n] -= rate * mean / (math.Sqrt(square) + 1e-8)
			}
		}
	}
}

// holds compares embeddings with the reference's. The first step of both
// optimizers is rate times the sign of the gradient, and the sign of a gradient
// that is all but 0 is a matter of rounding: a few numbers may be off.
func (r *reference) holds(t testing.TB, p completion.Parameters) {
	t.Helper()
	for table, got := range [][]float32{p.Entities, p.Relations} {
		off := 0
		for n, x := range got {
			if math.Abs(float64(x)-r.parameters[table][n]) > 2e-3 { // they are near 0.3
				off++
			}
		}
		if off > 3+len(got)/10 {
			t.Errorf("%s, %v: %d of the %d numbers of table %d are not those of the reference", r.member.Structure, r.optimizer, off, len(got), table)
		}
	}
}

// bruteRank ranks by scoring every candidate.
func bruteRank(p completion.Parameters, t datasets.Triple, known map[datasets.Triple]bool) completion.Ranked {
	r := &reference{member: completion.Member{Structure: p.Structure}, dim: p.Dim, parameters: [2][]float64{widen(p.Entities), widen(p.Relations)}}
	truth := r.score(t)
	var ranked completion.Ranked
	count := func(rank *completion.Rank, candidate datasets.Triple) {
		if candidate == t || known[candidate] {
			return
		}
		switch score := r.score(candidate); {
		case score > truth:
			rank.Better++
		case score == truth:
			rank.Equal++
		}
	}
	for e := range int32(len(p.Entities) / p.Dim) {
		count(&ranked.Tail, datasets.Triple{Head: t.Head, Relation: t.Relation, Tail: e})
		count(&ranked.Head, datasets.Triple{Head: e, Relation: t.Relation, Tail: t.Tail})
	}
	return ranked
}

// structures are worth testing with: named, dense, with an empty row, and of each K.
func structures() []structure.Structure {
	var all []structure.Structure
	for _, named := range structure.HumanDesigned() {
		all = append(all, named.Structure)
	}
	for _, text := range []string{
		"1,-2;2,1",
		"1,-2,-1;1,2,1;-2,1,3",
		"0,0,0,-1;4,-1,1,-1;0,4,-3,1;-1,2,2,-2",
		"0,0,0,0;1,0,0,0;0,-2,0,0;0,0,3,4",
		"2,3,-5,3,0;0,1,-2,5,-5;-2,-1,1,-1,-4;-5,-5,-5,-4,5;-3,2,3,-3,-2",
		"0,0,0,0,0,1;0,0,0,0,2,0;0,0,0,3,0,0;0,0,4,0,0,0;0,5,0,0,0,0;6,0,0,0,0,-1",
	} {
		all = append(all, structure.MustParse(text))
	}
	return all
}

// ofK are those of structures with k chunks.
func ofK(k int) []structure.Structure {
	return slices.DeleteFunc(structures(), func(s structure.Structure) bool { return s.K() != k })
}
