package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/dustin/go-humanize"
)

// comparison is what became of whole trainings; see [training].
type comparison struct {
	Threads   int               `json:"threads"`
	Trainings []compared        `json:"trainings,omitempty"`
	Peers     map[string]played `json:"peers,omitempty"`
}

// compared is a training by all who took part.
type compared struct {
	training
	Outcomes []outcome `json:"outcomes"`
}

// outcome is what a training came to by one.
type outcome struct {
	Who string `json:"who"`
	// Precision is that of our products.
	Precision string `json:"precision,omitempty"`
	// Step are seconds of a step, and PerEpoch how many an epoch has; Ranking are seconds of
	// the filtered ranking of the test triples, ties counted against the model. They are
	// in the order they were taken.
	Step     []float64 `json:"step,omitempty"`
	PerEpoch int       `json:"per_epoch,omitempty"`
	Ranking  []float64 `json:"ranking,omitempty"`
	// Memory is the most bytes that a process had in memory.
	Memory int64 `json:"memory,omitempty"`
	// MRR are after equal epochs, where these were whole.
	MRR []float64 `json:"mrr,omitempty"`
	// Within is what was reached in equal seconds.
	Within *reached `json:"within,omitempty"`
	// Dropped says why it could not go on.
	Dropped string `json:"dropped,omitempty"`
	// Command and Date are those by which it was measured.
	Command string `json:"command"`
	Date    string `json:"date"`
}

// reached is a training in equal seconds: the seconds that it took, the epochs these were,
// and its test MRR.
type reached struct {
	Seconds float64 `json:"seconds"`
	Epochs  float64 `json:"epochs"`
	MRR     float64 `json:"mrr"`
}

// epoch is how many seconds one takes, 0 where that was not measured.
func (o outcome) epoch() float64 {
	if len(o.Step) == 0 {
		return 0
	}
	return record.Median(o.Step) * float64(o.PerEpoch)
}

// add takes what a run came to.
func (o *outcome) add(r ran, whole bool) {
	o.Step, o.PerEpoch, o.Precision, o.Memory = append(o.Step, r.step), r.perEpoch, r.precision, max(o.Memory, r.memory)
	if r.ranking > 0 {
		o.Ranking = append(o.Ranking, r.ranking)
	}
	if whole {
		o.MRR = append(o.MRR, r.mrr)
	}
}

// reach takes what a run in equal seconds came to.
func (o *outcome) reach(r ran, p pass) {
	o.Ranking, o.Memory = append(o.Ranking, r.ranking), max(o.Memory, r.memory)
	o.Within = &reached{Seconds: r.seconds, Epochs: float64(p.epochs*p.steps) / float64(o.PerEpoch), MRR: r.mrr}
}

// put has an outcome, in place of what was measured of the same before. Those of a
// training that was another by the same ID are dropped.
func (c *comparison) put(t training, o outcome) {
	i := slices.IndexFunc(c.Trainings, func(before compared) bool { return before.ID == t.ID })
	switch {
	case i < 0:
		i, c.Trainings = len(c.Trainings), append(c.Trainings, compared{training: t})
	case c.Trainings[i].training != t:
		c.Trainings[i] = compared{training: t}
	}
	to := &c.Trainings[i].Outcomes
	if at := slices.IndexFunc(*to, func(before outcome) bool { return before.Who == o.Who }); at >= 0 {
		(*to)[at] = o
	} else {
		*to = append(*to, o)
	}
	all := trainings()
	place := func(c compared) int { return slices.IndexFunc(all, func(t training) bool { return t.ID == c.ID }) }
	slices.SortStableFunc(c.Trainings, func(a, b compared) int { return cmp.Compare(place(a), place(b)) })
}

// goOnComparing takes over what a file holds of others. There may be no file; one of
// another machine, or whose peers are others by the same names, is an error.
func goOnComparing(d *record.Document[comparison], path string) error {
	before, err := already[comparison](path, d.Machine)
	if before == nil || err != nil {
		return err
	}
	if err := samePeers(path, before.Result.Peers, d.Result.Peers); err != nil {
		return err
	}
	d.Result.Trainings = before.Result.Trainings
	return nil
}

// lineOfOutcome are the columns that are printed of each outcome.
const lineOfOutcome = "    %-24s %10s %10s %10s %8s %8s %9s\n"

// printOutcomes writes who came to what.
func printOutcomes(w io.Writer, t training, all []outcome) {
	fmt.Fprintln(w, t.Name)
	fmt.Fprintf(w, lineOfOutcome, "", "epoch", "ranking", "memory", "MRR", fmt.Sprintf("in %v s", t.Seconds), "epochs")
	for _, o := range all {
		if o.Dropped != "" {
			fmt.Fprintf(w, "    %-24s %s\n", o.Who, o.Dropped)
			continue
		}
		row := []any{o.Who, missing, duration(o.Ranking), humanize.IBytes(uint64(o.Memory)), missing, missing, missing}
		if o.epoch() > 0 {
			row[1] = duration([]float64{o.epoch()})
		}
		if len(o.MRR) > 0 {
			row[4] = fmt.Sprintf("%.3f", record.Median(o.MRR))
		}
		if o.Within != nil {
			row[5], row[6] = fmt.Sprintf("%.3f", o.Within.MRR), fmt.Sprintf("%.2f", o.Within.Epochs)
		}
		fmt.Fprintf(w, lineOfOutcome, row...)
	}
}
