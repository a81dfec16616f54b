package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

type trainCommand struct {
	Dataset   string        `required:"" help:"A name of dataset list, or a folder."`
	Structure structureFlag `required:"" help:"As for structure check."`
	Dim       int           `default:"${dim}" help:"Dimension of the embeddings, a multiple of the structure's chunks."`
	Epochs    int           `default:"${epochs}" help:"Passes over the training triples."`
	N3        float64       `name:"n3" default:"${n3}" help:"Weight of the cubed norms of head, relation and tail."`
	learningFlags
	Seed     uint64 `default:"1" help:"Decides the initial embeddings."`
	Members  int    `default:"1" help:"Train so many models together, with seeds from --seed on."`
	Out      string `help:"Write the first model into this folder."`
	MaxSteps int    `help:"Stop each epoch after so many steps, for timing."`
	NoEval   bool   `help:"Do not rank at the end."`
	computeFlags
}

// trainSummary is the JSON of train.
type trainSummary struct {
	Dataset   string                 `json:"dataset"`
	Structure structure.Structure    `json:"structure"`
	K         int                    `json:"k"`
	Dim       int                    `json:"dim"`
	Seed      uint64                 `json:"seed"`
	Engine    string                 `json:"engine"`
	Backend   string                 `json:"backend"`
	Epochs    int                    `json:"epochs"`
	Loss      []float64              `json:"loss"`
	Seconds   completion.Timing      `json:"seconds"`
	Valid     *completion.Evaluation `json:"valid"`
	Test      *completion.Evaluation `json:"test"`
	Members   []memberSummary        `json:"members,omitempty"`
	Out       string                 `json:"out,omitempty"`
}

type memberSummary struct {
	Seed  uint64                 `json:"seed"`
	Loss  []float64              `json:"loss"`
	Valid *completion.Evaluation `json:"valid"`
	Test  *completion.Evaluation `json:"test"`
	Error string                 `json:"error,omitempty"`
}

// Run trains.
func (c *trainCommand) Run(ctx context.Context, o *output) error {
	settings := c.settings(c.Dim, c.Epochs)
	settings.MaxSteps = c.MaxSteps
	if err := settings.Validate(c.Structure.K()); err != nil {
		return usage(err)
	}
	if c.Members < 1 {
		return usage(fmt.Errorf("members is %d: at least 1 is needed", c.Members))
	}
	var members []completion.Member
	for i := range c.Members {
		m := completion.Member{Structure: c.Structure.Structure, Seed: c.Seed + uint64(i), LearningRate: c.LR, L2: c.L2, N3: c.N3}
		if err := m.Validate(); err != nil {
			return usage(err)
		}
		members = append(members, m)
	}
	g, err := datasets.Open(c.Dataset)
	if err != nil {
		return err
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	bar := newTrainingBar(o.stderr, c.Epochs)
	report, err := completion.Train(ctx, engine, completion.Job{Graph: g, Settings: settings, Members: members, OnEpoch: bar.update})
	bar.finish()
	if err != nil {
		return err
	}
	if !c.NoEval {
		if err := evaluate(ctx, engine, g, report); err != nil {
			return err
		}
	}
	first := report.Results[0]
	if first.Err != nil {
		return first.Err
	}
	if c.Out != "" {
		if err := first.Model.Save(c.Out); err != nil {
			return err
		}
	}
	summary := c.summary(g, engine, report)
	return o.result(summary, summary.print)
}

// evaluate ranks valid and test, where they have triples, by the members that
// did not diverge, and adds the time to the report.
func evaluate(ctx context.Context, engine completion.Engine, g *datasets.Graph, report *completion.Report) error {
	var models []*completion.Model
	for _, r := range report.Results {
		if r.Model != nil {
			models = append(models, r.Model)
		}
	}
	if len(models) == 0 {
		return nil
	}
	defer stopwatch(&report.Timing.Evaluate)()
	for _, split := range []string{"valid", "test"} {
		if triples, err := g.Split(split); err != nil || len(triples) == 0 {
			continue
		}
		_, ranks, err := completion.RankSplit(ctx, engine, models, g, split)
		if err != nil {
			return err
		}
		for i, m := range models {
			e := completion.Summarize(ranks[i], completion.Pessimistic)
			if split == "valid" {
				m.Valid = &e
			} else {
				m.Test = &e
			}
		}
	}
	return nil
}

func (c *trainCommand) summary(g *datasets.Graph, engine completion.Engine, report *completion.Report) trainSummary {
	first := report.Results[0]
	s := trainSummary{
		Dataset: g.Name, Structure: c.Structure.Structure, K: c.Structure.K(), Dim: c.Dim, Seed: c.Seed,
		Engine: engine.Name(), Backend: engine.Backend(), Epochs: len(first.Loss), Loss: first.Loss, Seconds: report.Timing,
		Valid: first.Model.Valid, Test: first.Model.Test, Out: c.Out,
	}
	if c.Members == 1 {
		return s
	}
	for _, r := range report.Results {
		m := memberSummary{Seed: r.Member.Seed, Loss: orEmpty(r.Loss)}
		if r.Err != nil {
			m.Error = r.Err.Error()
		} else {
			m.Valid, m.Test = r.Model.Valid, r.Model.Test
		}
		s.Members = append(s.Members, m)
	}
	return s
}

func (s trainSummary) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, d %d: loss %.4f after %d epochs, %.1f s (%.2f ms a step)\n\n",
		s.Dataset, shortName(s.Structure), s.Dim, s.Loss[len(s.Loss)-1], s.Epochs, s.Seconds.Train, 1e3*s.Seconds.PerStep)
	t := metricsTable("")
	if s.Valid != nil {
		addMetrics(&t, "valid", s.Valid.Both)
	}
	if s.Test != nil {
		addMetrics(&t, "test", s.Test.Both)
		addMetrics(&t, "  heads", s.Test.Head)
		addMetrics(&t, "  tails", s.Test.Tail)
	}
	if len(t.rows) > 0 {
		t.print(w)
	}
	if len(s.Members) > 0 {
		fmt.Fprintln(w)
		t = table{header: []string{"seed", "loss", "valid MRR", "test MRR"}}
		for _, m := range s.Members {
			if m.Error != "" {
				t.add(text(m.Seed), "diverged", "", "")
				continue
			}
			t.add(text(m.Seed), fmt.Sprintf("%.4f", m.Loss[len(m.Loss)-1]), mrr(m.Valid), mrr(m.Test))
		}
		t.print(w)
	}
	if s.Out != "" {
		fmt.Fprintf(w, "\nThe model is in %s\n", s.Out)
	}
}

// shortName is the title of the named model that s is, or its rows.
func shortName(s structure.Structure) string {
	for _, named := range structure.HumanDesigned() {
		if named.Structure == s {
			return named.Title
		}
	}
	return s.String()
}

func metricsTable(first string) table {
	return table{header: []string{first, "MRR", "H@1", "H@3", "H@10", "mean rank"}}
}

func addMetrics(t *table, name string, m completion.Metrics) {
	t.add(name, number(m.MRR), number(m.Hits1), number(m.Hits3), number(m.Hits10), fmt.Sprintf("%.1f", m.MeanRank))
}

func mrr(e *completion.Evaluation) string {
	if e == nil {
		return missing
	}
	return number(e.Both.MRR)
}

func number(x float64) string { return fmt.Sprintf("%.3f", x) }

// missing stands in a table where a number is not known.
const missing = "–"
