package autodiff

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// scoring is the program that scores all entities for questions. Its inputs are the tables and the
// first ones of a training step.
type scoring struct{ model }

func (p scoring) graph(_ *Graph, all []*Node) []*Node {
	n := 1 + len(p.specs())
	numbers, in := all[:n], all[n:]
	c, t := p.embeddings(numbers, in[inOperators], pass{})
	anchors := lookUp(t.entities, in[inAnchors])
	states := walk(c, t, anchors, paths{
		relations: in[inRelations], signs: in[inSigns], ways: p.ways(),
	})
	scores := p.graphs().scores(c, InsertAxes(states, 0), InsertAxes(t.entities, 0))
	return []*Node{Squeeze(scores, 0)}
}

// scores calls visit with the scores of all entities for each question, in turn. The questions may
// have different numbers of hops.
func (r *ranker) scores(
	ctx context.Context, m *stored, questions []kge.Question, visit func(i int, scores []float32),
) error {
	byHops, entities := map[int][]int{}, m.tables[0].Shape().Dim(0)
	for i, q := range questions {
		byHops[len(q.Path)] = append(byHops[len(q.Path)], i)
	}
	room, done := r.room(m), 0
	for _, indices := range byHops {
		for from := 0; from < len(indices); from += room {
			if err := ctx.Err(); err != nil {
				return err
			}
			some := indices[from:min(len(indices), from+room)]
			var chunk []kge.Question
			for _, i := range some {
				chunk = append(chunk, questions[i])
			}
			all, err := r.score(m, chunk, min(room, powerOfTwo(len(chunk))))
			if err != nil {
				return err
			}
			for n, i := range some {
				visit(i, all[n*entities:][:entities])
			}
			done += len(some)
			r.report(float64(done) / float64(len(questions)))
		}
	}
	return ctx.Err()
}

// score returns the scores of all entities for questions with the same number of hops, padded to size.
func (r *ranker) score(m *stored, questions []kge.Question, size int) ([]float32, error) {
	p := scoring{modelOf(m.Parameters)}
	inputs := append([]*tensors.Tensor{}, m.tables...)
	inputs = append(inputs, m.operators)
	walk := walkInputs(questions, size, r.relations, m.Reciprocal)
	defer finalize(walk[:]...)
	inputs = append(inputs, walk[:]...)
	exec, err := r.compiler.Program(p, "scores", len(inputs), 1, p.graph)
	if err != nil {
		return nil, err
	}
	outputs, err := call{what: "the scores", program: exec, other: inputs}.run(r.compiler)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	defer finalize(outputs...)
	return tensors.CopyFlatData[float32](outputs[0])
}

// room returns the number of questions to score at a time. Each takes a row of scores, or the numbers
// of a hop if these are more.
func (r *ranker) room(m *stored) int {
	ofScores := int64(m.tables[0].Shape().Dim(0))
	if !m.Form.Capabilities().Products && !r.compiler.Fuses() {
		ofScores *= 2 * int64(m.Dim)
	}
	lookedUp, convolved := numbersOfHop(m.Form, m.Dim, m.Structure.K())
	ofHop := int64(m.Form.Capabilities().StateRows*m.Dim) + lookedUp + convolved
	const most = 8 << 20 // numbers at a time, beyond which a program is no faster
	return int(max(1, min(most, r.compiler.Memory()/64)/max(ofScores, ofHop)))
}

// powerOfTwo returns the smallest one that is at least n. Sizes are rounded up to it, so that few
// programs are compiled.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }
