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

// ensembleRanker ranks the true entities of triples with sums of the scores of several models,
// which rank like their mean.
type ensembleRanker struct {
	rankers   []kge.Ranker // of each model
	entities  int
	questions []kge.Question
	truths    [][]truth // of each question
	known     [][]int32 // of each question, ascending
	// scores has the scores of each model for all entities, for the questions from first on. They
	// are reused by the next ranking if all questions fit in memory.
	scores    []float32
	first     int
	batchSize int // number of questions to score at a time
}

// truth is a true answer to a question. The tail of triple i has the slot 2i, its head 2i+1.
type truth struct {
	slot   int
	entity int32
}

const scoreBytes = 4 // of a float32

// maxScoreBytes limits the memory for scores, in addition to a quarter of the free memory.
var maxScoreBytes = 2 << 30

// chooseBatchSize returns the number of questions whose scores fit in memory.
func (r *ensembleRanker) chooseBatchSize() int {
	bytes := maxScoreBytes
	if free := memory.Free(os.DirFS("/")); free > 0 {
		bytes = min(bytes, int(free/4))
	}
	questionBytes := scoreBytes * max(1, r.entities*len(r.rankers))
	return min(max(1, bytes/questionBytes), len(r.questions))
}

func newEnsembleRanker(
	ctx context.Context, engine kge.Engine, models []*kge.Model, triples []datasets.Triple,
	g *datasets.Graph,
) (*ensembleRanker, error) {
	r := &ensembleRanker{entities: len(g.Entities)}
	bytes := scoreBytes * float64(r.entities*len(models)) // at least one question
	for _, m := range models {
		bytes += 4 * float64(len(m.Entities)) // copied by the engine
	}
	work := "ranking with " + format.Count(len(models), "model") + " together"
	if err := memory.Check(bytes, work, "take fewer models"); err != nil {
		return nil, err
	}
	known, err := ctxutil.Call(ctx, func() (*datasets.Known, error) { return g.Known(), nil })
	if err != nil {
		return nil, err
	}
	r.addQuestions(triples, known)
	for _, m := range models {
		ranker, err := engine.NewRanker([]kge.Parameters{m.Parameters}, kge.Float32)
		if err != nil {
			r.close()
			return nil, err
		}
		r.rankers = append(r.rankers, ranker)
	}
	r.batchSize = r.chooseBatchSize()
	return r, nil
}

func (r *ensembleRanker) close() {
	for _, ranker := range r.rankers {
		ranker.Close()
	}
	bytes := scoreBytes * float64(cap(r.scores))
	r.scores = nil
	memory.CollectGarbage(bytes)
}

// addQuestions adds the questions for both ends of triples, without repetitions.
func (r *ensembleRanker) addQuestions(triples []datasets.Triple, known *datasets.Known) {
	type question struct{ anchor, relation int32 }
	indices := map[question]int{}
	add := func(q question, answer truth, answers func() []int32) {
		i, found := indices[q]
		if !found {
			i = len(r.questions)
			indices[q] = i
			r.questions = append(r.questions, kge.Question{Anchor: q.anchor, Path: []int32{q.relation}})
			r.truths, r.known = append(r.truths, nil), append(r.known, answers())
		}
		r.truths[i] = append(r.truths[i], answer)
	}
	for i, t := range triples {
		add(question{t.Head, 2 * t.Relation}, truth{2 * i, t.Tail}, func() []int32 {
			return known.Tails(t.Head, t.Relation)
		})
	}
	for i, t := range triples {
		add(question{t.Tail, 2*t.Relation + 1}, truth{2*i + 1, t.Head}, func() []int32 {
			return known.Heads(t.Relation, t.Tail)
		})
	}
}

// score computes the scores of n questions from first on, unless they are computed already.
func (r *ensembleRanker) score(ctx context.Context, first, n int) error {
	size := r.entities * len(r.rankers)
	if first == r.first && len(r.scores) == n*size {
		return nil
	}
	if cap(r.scores) < n*size {
		r.scores = make([]float32, n*size)
	}
	r.scores, r.first = r.scores[:0], first // empty until they are complete
	all := r.scores[:n*size]
	for model, ranker := range r.rankers {
		err := ranker.Scores(ctx, 0, r.questions[first:first+n], func(question int, scores []float32) {
			copy(all[question*size+model*r.entities:], scores)
		})
		if err != nil {
			return err
		}
	}
	r.scores = all
	return nil
}

// scoredQuestion has the scores of all entities for one question.
type scoredQuestion struct {
	question int
	byModel  [][]float32
	// sums and totals are scratch buffers for a number of each entity.
	sums, totals []float64
}

// each scores all questions. It calls visit from several goroutines.
func (r *ensembleRanker) each(ctx context.Context, visit func(s scoredQuestion)) error {
	size := len(r.rankers) * r.entities
	for first := 0; first < len(r.questions); first += r.batchSize {
		n := min(r.batchSize, len(r.questions)-first)
		if err := r.score(ctx, first, n); err != nil {
			return err
		}
		var next atomic.Int64
		var workers errgroup.Group
		for range min(runtime.GOMAXPROCS(0), n) {
			workers.Go(func() error {
				s := scoredQuestion{
					sums: make([]float64, r.entities), totals: make([]float64, r.entities),
				}
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					if err := ctx.Err(); err != nil {
						return err
					}
					s.question = first + i
					s.byModel = slices.Collect(slices.Chunk(r.scores[i*size:][:size], r.entities))
					visit(s)
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

// visitRank receives the rank of a true answer by an ensemble extended by a model. ensemble and
// model are indices in the lists passed to rank.
type visitRank func(ensemble, model, slot int, rank eval.Rank)

// rank ranks all true answers by each ensemble extended by each model that it does not contain. It
// adds scores in the order of an ensemble, and calls visit from several goroutines.
func (r *ensembleRanker) rank(
	ctx context.Context, ensembles [][]int, models []int, visit visitRank,
) error {
	return r.each(ctx, func(s scoredQuestion) {
		for e, ensemble := range ensembles {
			clear(s.sums)
			for _, model := range ensemble {
				for id, score := range s.byModel[model] {
					s.sums[id] += float64(score)
				}
			}
			for i, model := range models {
				if slices.Contains(ensemble, model) {
					continue
				}
				for id, score := range s.byModel[model] {
					s.totals[id] = s.sums[id] + float64(score)
				}
				for _, answer := range r.truths[s.question] {
					visit(e, i, answer.slot,
						filteredRank(s.totals, answer.entity, r.known[s.question]))
				}
			}
		}
	})
}

// rankWeighted ranks all true answers by sums of the scores of all models with weights, which
// depend on the relation; nil for sums without weights. It calls visit from several goroutines.
func (r *ensembleRanker) rankWeighted(
	ctx context.Context, weights func(relation int32) []float64,
	visit func(slot int, rank eval.Rank),
) error {
	return r.each(ctx, func(s scoredQuestion) {
		byModel := weights(relationOf(r.questions[s.question]))
		clear(s.sums)
		for model, scores := range s.byModel {
			weight := 1.0
			if byModel != nil {
				weight = byModel[model]
			}
			for id, score := range scores {
				s.sums[id] += weight * float64(score)
			}
		}
		for _, answer := range r.truths[s.question] {
			visit(answer.slot, filteredRank(s.sums, answer.entity, r.known[s.question]))
		}
	})
}

// relationOf returns the relation of a question of one hop.
func relationOf(q kge.Question) int32 { return q.Path[0] / 2 }

// filteredRank ranks a true answer by the scores of all entities, without the other known answers.
// NaN ranks last.
func filteredRank(scores []float64, truth int32, known []int32) eval.Rank {
	trueScore := scores[truth]
	if math.IsNaN(trueScore) {
		candidates := len(scores) - 1
		for _, id := range known {
			if id != truth {
				candidates--
			}
		}
		return eval.Rank{Better: int32(candidates)}
	}
	var better, equal int32
	for _, score := range scores {
		if score >= trueScore {
			better++
			if score == trueScore {
				equal++
			}
		}
	}
	rank := eval.Rank{Better: better - equal, Equal: equal - 1} // equal includes the true answer
	for _, id := range known {
		switch score := scores[id]; {
		case id == truth:
		case score > trueScore:
			rank.Better--
		case score == trueScore:
			rank.Equal--
		}
	}
	return rank
}
