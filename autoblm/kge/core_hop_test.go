package kge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
	"golang.org/x/sync/errgroup"
)

// drawCores returns parameters of a form with cores, for seven entities and two relations.
func drawCores(f form.Form, dim int) kge.Parameters {
	s := kge.Settings{Dim: dim, InitScale: 1, BatchNorm: f.HasNorm()}
	d := completion.Data(enginetest.SmallGraph())
	p := kge.Initialize(d, s, kge.Member{Form: f.WithoutNorm(), Seed: 1})
	if f.HasNorm() {
		drawNorms(p)
	}
	return p
}

// drawNorms draws the numbers of batch normalization.
func drawNorms(p kge.Parameters) {
	rng := rand.New(rand.NewPCG(5, 1))
	for i := range p.More[1] {
		if p.More[1][i] = rng.Float32() - 0.5; i >= form.NormVariance*p.Dim { // a variance
			p.More[1][i] += 1
		}
	}
}

// defineWithCores walks a path by the definition of the form, from numbers changed by a function.
func defineWithCores(
	p kge.Parameters, q kge.Question, change func(float64) float64,
) (state []float64, row func(entity int32) []float64) {
	numbers := func(table []float32) (y []float64) {
		for _, x := range table {
			y = append(y, change(float64(x)))
		}
		return y
	}
	row = func(entity int32) []float64 { return numbers(p.Entity(entity)) }
	state = row(q.Anchor)
	var norms []float64
	if p.Form.HasNorm() {
		norms = numbers(p.More[1])
	}
	for _, r := range q.Path {
		relation := numbers(p.Relations[int(r/2)*p.Dim:][:p.Dim])
		rows := [][]float64{relation, numbers(p.More[0]), norms}
		state = p.Form.Spec().DefineHop(p.Structure, state, rows, r%2 == 1)
	}
	return state, row
}

// TestScoresWithCores compares scores with the definition of the form, for paths in both directions.
func TestScoresWithCores(t *testing.T) {
	for _, f := range []form.Form{
		form.Tucker, form.Core(2), form.Core(3), form.Tucker.WithNorm(), form.Core(3).WithNorm(),
	} {
		p := drawCores(f, 12)
		for _, path := range [][]int32{{0}, {1}, {2, 0}, {3, 1, 2}} {
			q := kge.Question{Anchor: 4, Path: path}
			state, row := defineWithCores(p, q, func(x float64) float64 { return x })
			score := p.Scorer(q, 2)
			for entity := range int32(7) {
				want := p.Form.Spec().DefineScore(state, row(entity))
				if got := score(entity); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
					t.Errorf("%v, path %v: entity %d scores %v, want %v", f, path, entity, got, want)
				}
			}
		}
	}
}

// TestBoundWithCores checks that the bound of a score's error holds for its number of roundings and
// for magnitudes by the definition of the form, and is at most a few times as large.
func TestBoundWithCores(t *testing.T) {
	for _, f := range []form.Form{form.Tucker, form.Core(2)} {
		const dim = 24
		p := drawCores(f, dim)
		bound := kge.NewScoreBound(nil, p, 2)
		for _, path := range [][]int32{{0}, {3}, {2, 1}} {
			q := kge.Question{Anchor: 2, Path: path}
			state, row := defineWithCores(p, q, math.Abs)
			largest := 0.0
			for entity := range int32(7) {
				largest = max(largest, p.Form.Spec().DefineScore(state, row(entity)))
			}
			roundings := float64(dim + len(path)*2*dim/f.Partitions())
			least := roundings * 0x1p-24 * largest
			if got := bound.Of(q); got < least || got > 30*least {
				t.Errorf("%v, path %v: the bound is %v, want %v or a few times that", f, path, got, least)
			}
		}
	}
}

// TestBoundWithBatchNorm checks that the bound of a score's error grows with the factors and offsets
// of batch normalization, and holds for scores whose numbers are rounded to float32.
func TestBoundWithBatchNorm(t *testing.T) {
	const dim = 24
	p := drawCores(form.Core(2).WithNorm(), dim)
	q := kge.Question{Anchor: 2, Path: []int32{3}}
	of := func(row int, factor float32) float64 {
		changed := p
		changed.More = [][]float32{p.More[0], slices.Clone(p.More[1])}
		for i := row * dim; i < (row+1)*dim; i++ {
			changed.More[1][i] *= factor
		}
		bound := kge.NewScoreBound(nil, changed, 2).Of(q)
		if exact, rounded := changed.Scorer(q, 2)(1), roundedScore(changed, q, 1); math.Abs(exact-rounded) > bound {
			t.Errorf("row %d times %v: the score %v is %v in float32, and the bound is %v",
				row, factor, exact, rounded, bound)
		}
		return bound
	}
	for row := range form.NormVariance {
		if before, after := of(row, 1), of(row, 1e4); after < 100*before {
			t.Errorf("row %d: the bound is %v, and %v with numbers that are 10,000 times as large",
				row, before, after)
		}
	}
}

// roundedScore returns the score of an answer to a question of one hop in float32, with batch
// normalization.
func roundedScore(p kge.Parameters, q kge.Question, answer int32) float64 {
	c, relation := p.Dim/p.Form.Partitions(), p.Relations[int(q.Path[0]/2)*p.Dim:][:p.Dim]
	before, after := form.Norms(p.More[1])
	apply := func(n form.Norm, x []float32) {
		for i := range x {
			x[i] = x[i]*float32(n.Factors[i]) + float32(n.Offsets[i])
		}
	}
	head, query := slices.Clone(p.Entity(q.Anchor)), make([]float32, p.Dim)
	apply(before, head)
	for n, r := range relation {
		for i := range c {
			for j, w := range p.More[0][(n*c+i)*c:][:c] {
				from, to := n/c*c+i, n/c*c+j
				if q.Path[0]%2 == 1 {
					from, to = to, from
				}
				query[to] += head[from] * (r * w)
			}
		}
	}
	apply(after, query)
	score := float32(0)
	for i, x := range p.Entity(answer) {
		score += query[i] * x
	}
	return float64(score)
}

// TestScorerWaitsForAnAnswer checks that a question without an answer is not computed.
func TestScorerWaitsForAnAnswer(t *testing.T) {
	p, q := drawCores(form.Tucker, 12), kge.Question{Anchor: 1, Path: []int32{0, 2, 1}}
	var score func(int32) float64
	without := testing.AllocsPerRun(10, func() { score = p.Scorer(q, 2) })
	with := testing.AllocsPerRun(10, func() { score = p.Scorer(q, 2); score(3) })
	if without > 5 || with <= without {
		t.Errorf("%v allocations without an answer, %v with one", without, with)
	}
}

// TestCoresAreNotCopied checks that questions take far less memory than the cores in float64.
func TestCoresAreNotCopied(t *testing.T) {
	const dim, questions = 48, 20
	p := drawCores(form.Tucker, dim)
	bound := kge.NewScoreBound(nil, p, 2)
	for what, ask := range map[string]func(kge.Question){
		"scores":    func(q kge.Question) { p.Scorer(q, 2)(1) },
		"gradients": func(q kge.Question) { p.NewHop(nil, q, 2).Gradients(1) },
		"a bound":   func(q kge.Question) { bound.Of(q) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range int32(questions) {
			ask(kge.Question{Anchor: i % 7, Path: []int32{i % 4}})
		}
		runtime.ReadMemStats(&after)
		const limit = 8 * dim * dim * dim / 10
		if each := (after.TotalAlloc - before.TotalAlloc) / questions; each > limit {
			t.Errorf("%s of a question allocate %d bytes, want at most %d", what, each, limit)
		}
	}
}

// TestKeptMatrices checks that kept matrices change no bit of scores and gradients, for several models
// and more relations than are kept, also when several questions are scored at the same time.
func TestKeptMatrices(t *testing.T) {
	const dim, relations = 12, 40
	defer func(before int) { *kge.MaxCoreMatrices = before }(*kge.MaxCoreMatrices)
	*kge.MaxCoreMatrices = 7 * 8 * dim * dim // of seven relations of TuckER
	d := completion.Data(enginetest.RandomGraph(9, relations, 60, 1))
	var models []kge.Parameters
	for i, f := range []form.Form{form.Tucker, form.Tucker, form.Core(3)} {
		s := kge.Settings{Dim: dim, InitScale: 1, Reciprocal: i > 0}
		models = append(models, kge.Initialize(d, s, kge.Member{Form: f, Seed: uint64(i)}))
	}
	var kept kge.CoreMatrices
	var work errgroup.Group
	for n := range 400 {
		work.Go(func() error {
			p := models[n%len(models)]
			first, second := int32(n*7%(2*relations)), int32(n%5)
			q := kge.Question{Anchor: int32(n % 9), Path: []int32{first, second}}
			got, want := p.ScorerWith(&kept, q, relations)(3), p.Scorer(q, relations)(3)
			if got != want {
				return fmt.Errorf("path %v: score %v, want %v", q.Path, got, want)
			}
			q.Path = q.Path[:1]
			gradient, _ := p.NewHop(&kept, q, relations).Gradients(3)
			if want, _ := p.NewHop(nil, q, relations).Gradients(3); !slices.Equal(gradient, want) {
				return fmt.Errorf("relation %d: gradient %v, want %v", first, gradient, want)
			}
			return nil
		})
	}
	require.NoError(t, work.Wait())
	if bytes := kept.Bytes(); bytes == 0 || bytes > *kge.MaxCoreMatrices {
		t.Errorf("%d bytes are kept, at most %d may be", bytes, *kge.MaxCoreMatrices)
	}
}
