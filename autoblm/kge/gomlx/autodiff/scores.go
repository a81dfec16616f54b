package autodiff

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// scoring is the program that scores all entities for questions. Its inputs are the tables, operators
// and those of [walkInputs].
type scoring struct{ model }

func (p scoring) graph(_ *Graph, all []*Node) []*Node {
	n := 1 + len(p.specs())
	return []*Node{p.scores(all[:n], all[n], all[n+1:])}
}

// scores returns the scores of all entities, [questions, entities].
func (m model) scores(tables []*Node, operators *Node, walks []*Node) *Node {
	c, t := m.embeddings(tables, operators, pass{})
	states := walk(c, t, lookUp(t.entities, walks[0]),
		paths{relations: walks[1], signs: walks[2], ways: m.ways()})
	return Squeeze(m.graphs().scores(c, InsertAxes(states, 0), InsertAxes(t.entities, 0)), 0)
}

// walkInputs returns the anchors, relations and signs of questions with the same number of hops,
// padded to size.
func (r *ranker) walkInputs(m *stored, questions []kge.Question, size int) []*tensors.Tensor {
	hops := len(questions[0].Path)
	anchors := list[int32]{make([]int32, size), size}
	relations := list[int32]{make([]int32, hops*size), size}
	signs := list[float32]{make([]float32, hops*size), size}
	writeWalks(questions, r.relations, m.Reciprocal, anchors, relations, signs)
	return []*tensors.Tensor{
		vectorOf(anchors.numbers...),
		tensors.FromFlatDataAndDimensions(relations.numbers, hops, size),
		tensors.FromFlatDataAndDimensions(signs.numbers, hops, size),
	}
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
		for some := range slices.Chunk(indices, room) {
			if err := ctx.Err(); err != nil {
				return err
			}
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
	outputs, err := r.call(m, p, "scores", p.graph, 1, r.walkInputs(m, questions, size))
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	defer finalize(outputs...)
	return tensors.CopyFlatData[float32](outputs[0])
}

// call runs a program on the tables and operators of a model and on inputs, which it frees.
func (r *ranker) call(
	m *stored, key any, name string, graph func(g *Graph, inputs []*Node) []*Node, outputs int,
	inputs []*tensors.Tensor,
) ([]*tensors.Tensor, error) {
	defer finalize(inputs...)
	all := slices.Concat(m.tables, []*tensors.Tensor{m.operators}, inputs)
	exec, err := r.compiler.Program(key, name, len(all), outputs, graph)
	if err != nil {
		return nil, err
	}
	return call{what: "the " + name, program: exec, other: all}.run(r.compiler)
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
