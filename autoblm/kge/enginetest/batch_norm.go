package enginetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// questions returns the questions of a batch by number.
func (r *reference) questions(batch []kge.Example) (questions []kge.Question) {
	for i, x := range batch {
		switch {
		case r.settings.WalkHops > 0:
			questions = append(questions, x.Question)
		case r.settings.AnswersPerQuery == 0 && r.settings.Loss == kge.LogLoss:
			questions = append(questions, x.Question, reversed(x).Question)
		case i == 0 || x.Anchor != batch[i-1].Anchor || !slices.Equal(x.Path, batch[i-1].Path):
			questions = append(questions, x.Question)
		}
	}
	return questions
}

// normalizeBatch computes the queries of a batch with batch normalization, by their numbers, and the
// moving averages after the step.
func (r *reference) normalizeBatch(batch []kge.Example, step int) {
	questions := r.questions(batch)
	if r.isConvE() {
		r.queriesOfConvE(questions, step)
		return
	}
	if r.Form == form.RSN {
		r.readWalks(questions, step)
		return
	}
	norms := r.tables[len(r.tables)-1]
	r.averages = slices.Clone(norms)
	var heads [][]float64
	for _, q := range questions {
		heads = append(heads, slices.Clone(r.entity(q.Anchor)))
	}
	r.normalizeRows(heads, 0)
	r.queries = nil
	for number, q := range questions {
		if r.settings.InputDropout > 0 {
			key := dropout.InputKey(r.member.Seed, step)
			r.drop(heads[number], key, number, r.settings.InputDropout)
		}
		relation := r.rows(r.hops(q.Path)[0].number)
		hop := r.Form.WithoutNorm().Spec().DefineHop(r.Structure, heads[number], relation, false)
		r.queries = append(r.queries, hop)
	}
	r.normalizeRows(r.queries, 1)
}

// normalizeRows normalizes the coordinates of rows, 0 for heads and 1 for queries.
func (r *reference) normalizeRows(rows [][]float64, side int) {
	norms, n := r.tables[len(r.tables)-1], float64(len(rows))
	for i := range r.Dim {
		at := func(row int) int { return (row+side)*r.Dim + i }
		mean, variance := 0.0, 0.0
		for _, row := range rows {
			mean += row[i] / n
		}
		for _, row := range rows {
			variance += (row[i] - mean) * (row[i] - mean) / n
		}
		for _, row := range rows {
			x := (row[i] - mean) / math.Sqrt(variance+form.NormEpsilon)
			row[i] = norms[at(form.NormGamma)]*x + norms[at(form.NormBeta)]
		}
		for row, x := range map[int]float64{form.NormMean: mean, form.NormVariance: variance * n / (n - 1)} {
			r.averages[at(row)] = 0.9*norms[at(row)] + 0.1*x
		}
	}
}

// drawNorms draws the numbers of batch normalization, if a model has them: in a new model they are 0
// or 1.
func drawNorms(p kge.Parameters) {
	if _, ok := p.Form.ConvE(); !ok && !p.Form.HasNorm() && p.Form != form.RSN {
		return
	}
	rng, norms := rand.New(rand.NewPCG(4, 2)), p.More[len(p.More)-1]
	_, variances := averagesOf(p.Form, len(norms))
	for i := range norms {
		if x := &norms[i]; i < variances {
			*x += float32(0.3 * rng.NormFloat64())
		} else {
			*x = float32(0.5 + rng.Float64())
		}
	}
}

// averagesOf returns the indices of the first moving average and of the first variance in a table of
// batch normalization.
func averagesOf(f form.Form, size int) (first, variances int) {
	if f == form.RSN {
		row := size / form.RSNNormRows
		return form.RSNMean * row, form.RSNVariance * row
	}
	return size / 2, size * 3 / 4 // γ, β, means and variances have as many rows
}

// norms returns the table of batch normalization.
func (e *gradientProbe) norms(t testing.TB) []float64 {
	t.Helper()
	more := parametersOf(t, e, 0).More
	return toFloat64(more[len(more)-1])
}
