package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/dustin/go-humanize"
)

// comparison holds the results of whole trainings; see [training].
type comparison struct {
	Threads   int                 `json:"threads"`
	Trainings []compared          `json:"trainings,omitempty"`
	Peers     map[string]peerInfo `json:"peers,omitempty"`
}

// compared holds the outcomes of a training.
type compared struct {
	training
	Outcomes []outcome `json:"outcomes"`
}

// outcome holds the results of a training on one trainer.
type outcome struct {
	Who string `json:"who"`
	// Precision is our precision of products.
	Precision string `json:"precision,omitempty"`
	// Step has the seconds of a step, and PerEpoch the number of steps per epoch. Ranking has
	// the seconds of the filtered, pessimistic ranking of the test triples. All are in the order
	// of measurement.
	Step     []float64 `json:"step,omitempty"`
	PerEpoch int       `json:"per_epoch,omitempty"`
	Ranking  []float64 `json:"ranking,omitempty"`
	// Memory is the peak memory of the process in bytes.
	Memory int64 `json:"memory,omitempty"`
	// MRR has the test MRRs after equal epochs, if these are whole.
	MRR []float64 `json:"mrr,omitempty"`
	// Within is the result after equal seconds.
	Within *timeLimited `json:"within,omitempty"`
	// Dropped is the error of a trainer that failed.
	Dropped string `json:"dropped,omitempty"`
	// Command and Date identify the measurement. The outcomes of a file may differ in both.
	Command string `json:"command"`
	Date    string `json:"date"`
}

// timeLimited holds the seconds, the epochs and the test MRR of a training for equal seconds.
type timeLimited struct {
	Seconds float64 `json:"seconds"`
	Epochs  float64 `json:"epochs"`
	MRR     float64 `json:"mrr"`
}

// epochSeconds returns the seconds of an epoch, 0 if unknown.
func (o outcome) epochSeconds() float64 {
	if len(o.Step) == 0 {
		return 0
	}
	return record.Median(o.Step) * float64(o.PerEpoch)
}

// add adds a run with equal epochs.
func (o *outcome) add(r trainingRun, whole bool) {
	o.Step, o.PerEpoch, o.Precision = append(o.Step, r.step), r.perEpoch, r.precision
	o.Memory = max(o.Memory, r.memory)
	if r.ranking > 0 {
		o.Ranking = append(o.Ranking, r.ranking)
	}
	if whole {
		o.MRR = append(o.MRR, r.mrr)
	}
}

// addTimeLimited adds a run for equal seconds.
func (o *outcome) addTimeLimited(r trainingRun, p schedule) {
	o.Ranking, o.Memory = append(o.Ranking, r.ranking), max(o.Memory, r.memory)
	epochs := float64(p.epochs*p.steps) / float64(o.PerEpoch)
	o.Within = &timeLimited{Seconds: r.seconds, Epochs: epochs, MRR: r.mrr}
}

// put adds or replaces an outcome. It drops the outcomes of another training with the same ID.
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
	var order []string
	for _, t := range trainings() {
		order = append(order, t.ID)
	}
	sortByID(c.Trainings, order, func(c compared) string { return c.ID })
}

// resumeComparison adds the trainings of an existing file.
func resumeComparison(d *record.Document[comparison], path string) error {
	before, err := readPrevious(path, d, func(c comparison) map[string]peerInfo { return c.Peers })
	if before == nil || err != nil {
		return err
	}
	d.Result.Trainings = before.Trainings
	return nil
}

// lineOfOutcome is the format of a printed outcome.
const lineOfOutcome = "    %-24s %10s %10s %10s %8s %8s %9s\n"

// printOutcomes prints the outcomes of a training.
func printOutcomes(w io.Writer, t training, all []outcome) {
	fmt.Fprintln(w, t.Name)
	fmt.Fprintf(w, lineOfOutcome, "", "epoch", "ranking", "memory", "MRR",
		fmt.Sprintf("in %v s", t.Seconds), "epochs")
	for _, o := range all {
		if o.Dropped != "" {
			fmt.Fprintf(w, "    %-24s %s\n", o.Who, o.Dropped)
			continue
		}
		memory := humanize.IBytes(uint64(o.Memory))
		row := []any{o.Who, missing, duration(o.Ranking), memory, missing, missing, missing}
		if o.epochSeconds() > 0 {
			row[1] = duration([]float64{o.epochSeconds()})
		}
		if len(o.MRR) > 0 {
			row[4] = fmt.Sprintf("%.3f", record.Median(o.MRR))
		}
		if o.Within != nil {
			row[5] = fmt.Sprintf("%.3f", o.Within.MRR)
			row[6] = fmt.Sprintf("%.2f", o.Within.Epochs)
		}
		fmt.Fprintf(w, lineOfOutcome, row...)
	}
}
