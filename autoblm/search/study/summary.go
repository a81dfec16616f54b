package study

import (
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Counts are numbers of trials. Proposed are those of the strategy.
type Counts struct {
	All      int `json:"all"`
	Proposed int `json:"proposed"`
	Complete int `json:"complete"`
	Failed   int `json:"failed"`
	Running  int `json:"running"`
}

// Counts counts the trials.
func (c *Contents) Counts() Counts {
	n := Counts{All: len(c.Trials)}
	n.Proposed = len(search.Proposed(c.Trials))
	for _, t := range c.Trials {
		switch t.State {
		case task.Complete:
			n.Complete++
		case task.Failed:
			n.Failed++
		case task.Running:
			n.Running++
		}
	}
	return n
}

// RoundSummary tells how a round went.
type RoundSummary struct {
	Number   int `json:"number"`
	Proposed int `json:"proposed"`
	Repeats  int `json:"repeats"`
	// BestScore is that of all trials up to this round, nil before the first result.
	// BestMRR is nil also where the score is none.
	BestScore *float64 `json:"best_score"`
	BestMRR   *float64 `json:"best_mrr"`
	// Choosing is the time that the filter, the predictor and the strategy took,
	// Training that of the round's trials.
	Choosing float64 `json:"choosing"`
	Training float64 `json:"training"`
}

// Summaries tell how the rounds went, in their order and in the words of the task.
func (c *Contents) Summaries(w task.Presentation) []RoundSummary {
	all := []RoundSummary{}
	var best *float64
	for _, r := range c.Rounds {
		s := RoundSummary{Number: r.Number, Proposed: r.Proposed, Repeats: r.Repeats, Choosing: r.Seconds}
		for _, t := range c.Trials {
			if t.Round != r.Number {
				continue
			}
			s.Training += t.Seconds
			if t.State == task.Complete && t.Stage != task.HalvingRung && (best == nil || *t.Score > *best) {
				best = t.Score
			}
		}
		s.BestScore, s.BestMRR = best, mrrOnly(w, best)
		all = append(all, s)
	}
	return all
}
