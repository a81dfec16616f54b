package completion

import (
	"context"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/listen"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/words"
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
	sums      []float64 // of the last call of rank, kept for the next
	scratch   sync.Pool
}

// truth is a true answer: that of a triple's tail has the place 2i, and that of its head 2i+1.
type truth struct {
	place  int
	entity int32
}

// A sum is a float64. There are mostSums bytes of them at a time, at most, or what a quarter of
// the free memory holds.
const (
	sumBytes = 8
	mostSums = 512 << 20
)

// atOnce is how many questions are summed up at a time, for so many teams.
func (p *panel) atOnce(teams int) int {
	room := mostSums
	if free := memory.Free(os.DirFS("/")); free > 0 {
		room = int(min(mostSums, free/4))
	}
	return min(max(1, room/(sumBytes*max(1, p.entities*teams))), len(p.questions))
}

// newPanel is for sums by so many teams at a time, at most.
func newPanel(ctx context.Context, engine kge.Engine, models []*kge.Model, triples []datasets.Triple, g *datasets.Graph, teams int) (*panel, error) {
	p := &panel{entities: len(g.Entities)}
	bytes := sumBytes * float64(p.entities*teams) // of a question, at least
	for _, m := range models {
		bytes += 4 * float64(len(m.Entities)) // which an engine has a copy of
	}
	if err := memory.Check(bytes, "ranking by "+words.Count(len(models), "model")+" together", "take fewer"); err != nil {
		return nil, err
	}
	known, err := listen.Call(ctx, func() (*datasets.Known, error) { return g.Known(), nil })
	if err != nil {
		return nil, err
	}
	p.ask(triples, known)
	p.scratch.New = func() any { sums := make([]float64, p.entities); return &sums }
	for _, m := range models {
		r, err := engine.NewRanker([]kge.Parameters{m.Parameters}, kge.Float32)
		if err != nil {
			p.close()
			return nil, err
		}
		p.rankers = append(p.rankers, r)
	}
	return p, nil
}

func (p *panel) close() {
	for _, r := range p.rankers {
		r.Close()
	}
	p.forget()
}

// forget makes room at once for the sums of the next.
func (p *panel) forget() {
	before := cap(p.sums)
	p.sums = nil
	memory.Collect(sumBytes * float64(before))
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

// room is for so many sums of each of some teams.
func (p *panel) room(teams, size int) [][]float64 {
	if cap(p.sums) < teams*size {
		p.forget()
		p.sums = make([]float64, teams*size)
	}
	return slices.Collect(slices.Chunk(p.sums[:teams*size], max(1, size)))
}

// rank tells the ranks of all true answers by each team, whose sums are added in its order,
// with each of some other models. The calls come from several threads.
func (p *panel) rank(ctx context.Context, teams [][]int, with []int, tell func(team, model, place int, rank kge.Rank)) error {
	atOnce := p.atOnce(len(teams))
	sums := p.room(len(teams), atOnce*p.entities)
	for from := 0; from < len(p.questions); from += atOnce {
		questions := p.questions[from:min(from+atOnce, len(p.questions))]
		for t, team := range teams {
			clear(sums[t])
			for _, model := range team {
				if err := p.rankers[model].Scores(ctx, 0, questions, func(question int, scores []float32) {
					own := sums[t][question*p.entities:][:p.entities]
					for id, score := range scores {
						own[id] += float64(score)
					}
				}); err != nil {
					return err
				}
			}
		}
		for i, model := range with {
			if err := p.rankers[model].Scores(ctx, 0, questions, func(question int, scores []float32) {
				scratch := p.scratch.Get().(*[]float64)
				defer p.scratch.Put(scratch)
				together := *scratch
				for t, team := range teams {
					if slices.Contains(team, model) {
						continue
					}
					for id, sum := range sums[t][question*p.entities:][:p.entities] {
						together[id] = sum + float64(scores[id])
					}
					for _, answer := range p.truths[from+question] {
						tell(t, i, answer.place, rankAmong(together, answer.entity, p.known[from+question]))
					}
				}
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// rankAmong is the rank of a true answer, known answers left out.
func rankAmong(scores []float64, truth int32, known []int32) kge.Rank {
	own := scores[truth]
	others := func(id int32) bool { return id != truth }
	if math.IsNaN(own) { // comes after all other candidates
		left := len(scores) - 1
		for _, id := range known {
			if others(id) {
				left--
			}
		}
		return kge.Rank{Better: int32(left)}
	}
	rank := kge.Rank{Equal: -1} // itself
	count := func(score float64, by int32) {
		switch {
		case score > own:
			rank.Better += by
		case score == own:
			rank.Equal += by
		}
	}
	for _, score := range scores {
		count(score, 1)
	}
	for _, id := range known {
		if others(id) {
			count(scores[id], -1)
		}
	}
	return rank
}
