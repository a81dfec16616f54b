package completion

import (
	"context"
	"math"
	"os"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
	"golang.org/x/sync/errgroup"
)

// panel scores the questions of some triples by several models, and ranks by sums of
// their scores. The logarithm of a probability is a score less a number that all answers to
// a question have in common, so ranks need the scores alone.
type panel struct {
	rankers   []kge.Ranker
	entities  int
	questions []kge.Question
	truths    [][]truth // by question
	known     [][]int32 // by question, ascending
	// scores are those of all models for all entities, question by question, of some questions
	// from the first on: of all of them they stay.
	scores []float32
	first  int
	atOnce int // how many questions are scored at a time
}

// truth is a true answer: that of a triple's tail has the place 2i, and that of its head 2i+1.
type truth struct {
	place  int
	entity int32
}

// A score is a float32.
const scoreBytes = 4

// mostScores is how many bytes of scores there are at a time, at most, if a quarter of the free
// memory holds them.
var mostScores = 2 << 30

// room is for how many questions there is memory.
func (p *panel) room() int {
	room := mostScores
	if free := memory.Free(os.DirFS("/")); free > 0 {
		room = min(room, int(free/4))
	}
	return min(max(1, room/(scoreBytes*max(1, p.entities*len(p.rankers)))), len(p.questions))
}

func newPanel(ctx context.Context, engine kge.Engine, models []*kge.Model, triples []datasets.Triple, g *datasets.Graph) (*panel, error) {
	p := &panel{entities: len(g.Entities)}
	bytes := scoreBytes * float64(p.entities*len(models)) // of a question, at least
	for _, m := range models {
		bytes += 4 * float64(len(m.Entities)) // which an engine has a copy of
	}
	if err := memory.Check(bytes, "ranking by "+format.Count(len(models), "model")+" together", "take fewer"); err != nil {
		return nil, err
	}
	known, err := ctxutil.Call(ctx, func() (*datasets.Known, error) { return g.Known(), nil })
	if err != nil {
		return nil, err
	}
	p.ask(triples, known)
	for _, m := range models {
		r, err := engine.NewRanker([]kge.Parameters{m.Parameters}, kge.Float32)
		if err != nil {
			p.close()
			return nil, err
		}
		p.rankers = append(p.rankers, r)
	}
	p.atOnce = p.room()
	return p, nil
}

func (p *panel) close() {
	for _, r := range p.rankers {
		r.Close()
	}
	before := cap(p.scores)
	p.scores = nil
	memory.CollectGarbage(scoreBytes * float64(before))
}

// ask asks for both ends of triples, each question once.
func (p *panel) ask(triples []datasets.Triple, known *datasets.Known) {
	type asked struct{ anchor, relation int32 }
	places := map[asked]int{}
	put := func(a asked, answer truth, answers func() []int32) {
		i, there := places[a]
		if !there {
			i = len(p.questions)
			places[a] = i
			p.questions = append(p.questions, kge.Question{Anchor: a.anchor, Path: []int32{a.relation}})
			p.truths, p.known = append(p.truths, nil), append(p.known, answers())
		}
		p.truths[i] = append(p.truths[i], answer)
	}
	for i, t := range triples {
		put(asked{t.Head, 2 * t.Relation}, truth{2 * i, t.Tail}, func() []int32 { return known.Tails(t.Head, t.Relation) })
	}
	for i, t := range triples {
		put(asked{t.Tail, 2*t.Relation + 1}, truth{2*i + 1, t.Head}, func() []int32 { return known.Heads(t.Relation, t.Tail) })
	}
}

// score has the scores of so many questions from the first on.
func (p *panel) score(ctx context.Context, first, questions int) error {
	size := p.entities * len(p.rankers)
	if first == p.first && len(p.scores) == questions*size {
		return nil
	}
	if cap(p.scores) < questions*size {
		p.scores = make([]float32, questions*size)
	}
	p.scores, p.first = p.scores[:0], first // until they are whole
	for model, r := range p.rankers {
		if err := r.Scores(ctx, 0, p.questions[first:first+questions], func(question int, scores []float32) {
			copy(p.scores[:cap(p.scores)][question*size+model*p.entities:], scores)
		}); err != nil {
			return err
		}
	}
	p.scores = p.scores[:questions*size]
	return nil
}

// rank tells the ranks of all true answers by each ensemble, whose scores are added in its order,
// with each of some other models. The calls come from several threads.
func (p *panel) rank(ctx context.Context, ensembles [][]int, with []int, tell func(ensemble, model, place int, rank eval.Rank)) error {
	for first := 0; first < len(p.questions); first += p.atOnce {
		questions := min(p.atOnce, len(p.questions)-first)
		if err := p.score(ctx, first, questions); err != nil {
			return err
		}
		var next atomic.Int64
		var workers errgroup.Group
		for range min(runtime.GOMAXPROCS(0), questions) {
			workers.Go(func() error {
				sums := make([]float64, p.entities)
				for i := int(next.Add(1)) - 1; i < questions; i = int(next.Add(1)) - 1 {
					if err := ctx.Err(); err != nil {
						return err
					}
					p.judge(first+i, ensembles, with, sums, tell)
				}
				return nil
			})
		}
		if err := workers.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// judge is rank for a question that is scored. It has room for the sums of an ensemble.
func (p *panel) judge(question int, ensembles [][]int, with []int, sums []float64, tell func(ensemble, model, place int, rank eval.Rank)) {
	byModel := slices.Collect(slices.Chunk(p.scores[(question-p.first)*len(p.rankers)*p.entities:][:len(p.rankers)*p.entities], p.entities))
	for t, ensemble := range ensembles {
		clear(sums)
		for _, model := range ensemble {
			for id, score := range byModel[model] {
				sums[id] += float64(score)
			}
		}
		for i, model := range with {
			if slices.Contains(ensemble, model) {
				continue
			}
			for _, answer := range p.truths[question] {
				tell(t, i, answer.place, rankAmong(sums, byModel[model], answer.entity, p.known[question]))
			}
		}
	}
}

// rankAmong is the rank of a true answer by the sums of an ensemble and the scores of one more model,
// known answers left out.
func rankAmong(sums []float64, scores []float32, truth int32, known []int32) eval.Rank {
	scores = scores[:len(sums)]
	with := func(id int32) float64 { return sums[id] + float64(scores[id]) }
	own := with(truth)
	if math.IsNaN(own) { // comes after all other candidates
		left := len(sums) - 1
		for _, id := range known {
			if id != truth {
				left--
			}
		}
		return eval.Rank{Better: int32(left)}
	}
	var better, equal int32
	for id, sum := range sums {
		if score := sum + float64(scores[id]); score >= own {
			better++
			if score == own {
				equal++
			}
		}
	}
	rank := eval.Rank{Better: better - equal, Equal: equal - 1} // itself
	for _, id := range known {
		switch score := with(id); {
		case id == truth:
		case score > own:
			rank.Better--
		case score == own:
			rank.Equal--
		}
	}
	return rank
}
