package study

import (
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Counts holds numbers of trials. Proposed counts those of the strategy.
type Counts struct {
	All      int `json:"all"`
	Proposed int `json:"proposed"`
	Complete int `json:"complete"`
	Failed   int `json:"failed"`
	Running  int `json:"running"`
}

// Counts counts the trials.
func (c *Contents) Counts() Counts {
	n := Counts{All: len(c.Trials), Proposed: len(search.Proposed(c.Trials))}
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

// RoundSummary describes a round.
type RoundSummary struct {
	Number   int `json:"number"`
	Proposed int `json:"proposed"`
	Repeats  int `json:"repeats"`
	// BestScore is the best score up to this round, nil before the first result. BestMRR is nil
	// if the task has another metric.
	BestScore *float64 `json:"best_score"`
	BestMRR   *float64 `json:"best_mrr"`
	// Choosing is the time of the filter, the predictor and the strategy, Training that of the
	// trials, in seconds.
	Choosing float64 `json:"choosing"`
	Training float64 `json:"training"`
}

// Summaries describes the rounds in order.
func (c *Contents) Summaries(p task.Presentation) []RoundSummary {
	all := []RoundSummary{}
	var best *float64
	for _, r := range c.Rounds {
		s := RoundSummary{
			Number: r.Number, Proposed: r.Proposed, Repeats: r.Repeats, Choosing: r.Seconds,
		}
		for _, t := range c.Trials {
			if t.Round != r.Number {
				continue
			}
			s.Training += t.Seconds
			scored := t.State == task.Complete && t.Stage != task.HalvingRung
			if scored && (best == nil || *t.Score > *best) {
				best = t.Score
			}
		}
		s.BestScore, s.BestMRR = best, mrr(p, best)
		all = append(all, s)
	}
	return all
}
