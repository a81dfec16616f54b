package enginetest

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"gonum.org/v1/gonum/floats"
)

// rsn returns a member that is RSN. It is not in [Members], because not every engine trains it.
func rsn() kge.Member { return kge.Member{Form: form.RSN, Seed: 3, LearningRate: 0.1} }

// rsnScenarios returns scenarios of RSN on random walks.
func rsnScenarios(d *kge.Data) (all []scenario) {
	for recipe, r := range map[string]Recipe{
		"one hop":      newRecipe(kge.Weights{L2: 0.01}),
		"two hops":     newRecipe(kge.Weights{RelationN3: 0.05}, func(s *kge.Settings) { s.WalkHops = 2 }),
		"walks, drops": newRecipe(kge.Weights{}, withDropout(0.3), func(s *kge.Settings) { s.WalkHops = 3 }),
		"sampled":      newRecipe(kge.Weights{}, func(s *kge.Settings) { s.SampledSoftmax, s.WalkHops = 4, 2 }),
	} {
		s := kge.DefaultSettings()
		s.Dim, s.Batch, s.InitScale, s.Reciprocal, s.WalkHops = 6, 5, 0.7, true, 1
		r.Set(&s)
		m := rsn()
		m.Weights = r.Weights
		all = append(all, scenario{"rsn/walks/" + recipe, "rsn", recipe, NewCase(d, s, m, 2, math.MaxInt)})
	}
	return all
}

// readWalks computes the queries of a step with RSN and the outputs before the last relations of its
// questions, which are the parts of walks, and the moving averages after the step.
func (r *reference) readWalks(questions []kge.Question, step int) {
	n, hops := r.Dim/2, r.settings.WalkHops
	norms := r.tables[len(r.tables)-1]
	r.averages = slices.Clone(norms)
	r.queries, r.beforeRelations = make([][]float64, len(questions)), make([][]float64, len(questions))
	walks := make([]rsnWalk, len(questions)/hops)
	for i := range walks {
		walks[i] = newRSNWalk(r.tables[2], n)
	}
	for hop := range hops {
		var entities, relations, outputs, queries, kept [][]float64
		for i := range walks {
			number := i*hops + hop
			q := questions[number]
			entity := append([]int32{q.Anchor}, q.Through...)[hop]
			relation := r.rows(r.hops(q.Path)[hop].number)[0]
			entities = append(entities, slices.Clone(r.entity(entity)[:n]))
			relations = append(relations, slices.Clone(relation[:n]))
			all := slices.Repeat([]float64{1}, 4*n)
			r.drop(all, dropout.Key(r.member.Seed, step), number, r.settings.Dropout)
			kept = append(kept, all)
		}
		const noAverage = -1
		average := func(which int) int {
			if hop > 0 {
				return noAverage
			}
			return which
		}
		r.normalizeVectors(entities, form.RSNInput, average(form.RSNEntity))
		r.normalizeVectors(relations, form.RSNInput, average(form.RSNRelation))
		for i := range walks {
			outputs = append(outputs, slices.Clone(walks[i].read(entities[i], kept[i][:2*n])))
			output := walks[i].read(relations[i], kept[i][2*n:])
			query := make([]float64, n)
			for to := range n {
				for from := range n {
					query[to] += r.tables[3][from*n+to]*output[from] + r.tables[3][(n+from)*n+to]*entities[i][from]
				}
			}
			queries = append(queries, query)
		}
		r.normalizeVectors(outputs, form.RSNOutput, noAverage)
		r.normalizeVectors(queries, form.RSNOutput, average(form.RSNAfterRelation))
		for i := range walks {
			r.beforeRelations[i*hops+hop] = outputs[i]
			r.queries[i*hops+hop] = append(make([]float64, n), queries[i]...)
		}
	}
}

// normalizeVectors normalizes the vectors of a position in walks, and moves an average unless it is
// negative.
func (r *reference) normalizeVectors(all [][]float64, side, average int) {
	n, count := r.Dim/2, float64(len(all))
	norms := r.tables[len(r.tables)-1]
	for i := range n {
		mean, variance := 0.0, 0.0
		for _, x := range all {
			mean += x[i] / count
		}
		for _, x := range all {
			variance += (x[i] - mean) * (x[i] - mean) / count
		}
		for _, x := range all {
			x[i] = norms[(form.RSNGamma+side)*n+i]*(x[i]-mean)/math.Sqrt(variance+form.RSNEpsilon) +
				norms[(form.RSNBeta+side)*n+i]
		}
		if average >= 0 {
			for row, x := range map[int]float64{
				form.RSNMean: mean, form.RSNVariance: variance * count / (count - 1),
			} {
				at := (row+average)*n + i
				r.averages[at] = 0.9*norms[at] + 0.1*x
			}
		}
	}
}

// nextRelation returns the cross entropy of the last relation of a question among all relations.
func (r *reference) nextRelation(q kge.Question, number int) float64 {
	truth, scores := r.hops(q.Path)[len(q.Path)-1].number, make([]float64, 2*len(r.data.Relations))
	for relation := range scores {
		scores[relation] = floats.Dot(r.beforeRelations[number], r.rows(relation)[0][r.Dim/2:])
	}
	return floats.LogSumExp(scores) - scores[truth]
}

// rsnWalk is an LSTM of two layers without tanh, after some symbols of a walk.
type rsnWalk struct {
	weights        []float64 // of a layer, [inputs; outputs before; biases], with columns of four gates
	n              int
	cells, outputs [2][]float64
}

func newRSNWalk(weights []float64, n int) rsnWalk {
	w := rsnWalk{weights: weights, n: n}
	for layer := range 2 {
		w.cells[layer], w.outputs[layer] = make([]float64, n), make([]float64, n)
	}
	return w
}

// read returns the output of the upper layer after a symbol. kept has the factors of both outputs.
func (w *rsnWalk) read(x, kept []float64) []float64 {
	n := w.n
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for layer := range 2 {
		inputs := slices.Concat(x, w.outputs[layer], []float64{1})
		weights := w.weights[layer*len(inputs)*4*n:]
		sum := func(gate, i int) (sum float64) {
			for from, v := range inputs {
				sum += v * weights[from*4*n+gate*n+i]
			}
			return sum
		}
		cell, output := make([]float64, n), make([]float64, n)
		for i := range n {
			cell[i] = logistic(sum(2, i)+1)*w.cells[layer][i] + logistic(sum(0, i))*sum(1, i)
			output[i] = logistic(sum(3, i)) * cell[i]
		}
		w.cells[layer], w.outputs[layer] = cell, output
		x = floats.MulTo(make([]float64, n), output, kept[layer*n:][:n])
	}
	return x
}

// scoresOfRSN compares scores with the definition, with moving averages.
func scoresOfRSN(t *testing.T, engine kge.Engine, tolerance float64, d *kge.Data) {
	s, m := kge.DefaultSettings(), rsn()
	s.Dim, s.Reciprocal, s.InitScale = 6, true, 1
	p := kge.Initialize(d, s, m)
	drawNorms(p)
	questions := []kge.Question{{Anchor: 1, Path: []int32{0}}, {Anchor: 2, Path: []int32{3}}}
	ranker, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
	if err != nil {
		t.Fatal(err)
	}
	defer ranker.Close()
	r := newReference(d, s, m, p)
	must(t, ranker.Scores(t.Context(), 0, questions, func(i int, scores []float32) {
		near(t, "rsn", tolerance, toFloat64(scores), r.scores(r.query(questions[i])))
	}))
}
