package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/words"
)

type evalCommand struct {
	Model   string   `required:"" placeholder:"DIR" brief:"The model's folder." help:"The model's folder."`
	Dataset string   `required:"" placeholder:"NAME|DIR" brief:"A name of dataset list, or a folder." help:"A name of dataset list, or a folder."`
	Split   string   `default:"test" enum:"train,valid,test" brief:"${enum}." help:"train, valid or test."`
	Ties    kge.Ties `default:"pessimistic" brief:"pessimistic, optimistic or realistic." help:"pessimistic, optimistic or realistic."`
	By      string   `default:"" enum:",relation,pattern" placeholder:"relation|pattern" brief:"Metrics by relation or by relation pattern." help:"Break the metrics down by relation or by relation pattern."`
	rankingFlag
	computeFlags
}

// evalSummary is the JSON of eval, save for its split.
type evalSummary struct {
	Dataset   string                 `json:"dataset"`
	Model     form.Form              `json:"model,omitzero"` // left out where it is bilinear
	Structure *structure.Structure   `json:"structure"`
	K         int                    `json:"k"`
	Dim       int                    `json:"dim"`
	Precision kge.Precision          `json:"precision"`
	Engine    string                 `json:"engine"`
	Backend   string                 `json:"backend"`
	Seconds   kge.Timing             `json:"seconds"`
	Train     *completion.Evaluation `json:"train,omitempty"`
	Valid     *completion.Evaluation `json:"valid,omitempty"`
	Test      *completion.Evaluation `json:"test,omitempty"`
	By        []completion.Part      `json:"by,omitempty"`
}

// Run ranks a split.
func (c *evalCommand) Run(ctx context.Context, o *output) error {
	m, err := kge.Load(c.Model)
	if err != nil {
		return err
	}
	g, err := opened(ctx, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings(c.Split))
	if g, err = completion.Align(m, g); err != nil {
		return err
	}
	engine, err := c.open(m.Form)
	if err != nil {
		return err
	}
	defer engine.Close()
	precision, err := kge.RankingPrecision(engine, []kge.Parameters{m.Parameters}, c.Precision)
	if err != nil {
		return err
	}
	s := evalSummary{Dataset: g.Name, Model: m.Form, Structure: structureOf(m.Form, m.Structure), K: m.Structure.K(), Dim: m.Dim, Precision: precision, Engine: engine.Name(), Backend: engine.Backend(precision)}
	stop := s.Seconds.Evaluating(engine)
	triples, ranks, err := completion.RankSplit(ctx, engine, precision, []*kge.Model{m}, g, c.Split)
	if err != nil {
		return err
	}
	stop()
	e := completion.Summarize(ranks[0], c.Ties)
	*map[string]**completion.Evaluation{"train": &s.Train, "valid": &s.Valid, "test": &s.Test}[c.Split] = &e
	switch c.By {
	case "relation":
		s.By = completion.ByRelation(g, triples, ranks[0], c.Ties)
	case "pattern":
		s.By = completion.ByPattern(g, triples, ranks[0], c.Ties)
	}
	return o.Result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s, d %d%s: %s %s triples, %s ties\n\n", s.Dataset, titleOf(s.Model, s.Structure), s.Dim, s.Precision.Note(), words.Whole(e.Triples), c.Split, e.Ties)
		t := completion.NewTable()
		e.AddTo(t, "both", true)
		t.Print(w)
		if len(s.By) == 0 {
			return
		}
		fmt.Fprintln(w)
		t = words.NewTable(c.By, "triples", "MRR", "H@1", "H@10", "head MRR", "tail MRR")
		for _, p := range s.By {
			t.Add(p.Name, p.Triples, p.Both.MRR, p.Both.Hits1, p.Both.Hits10, p.Head.MRR, p.Tail.MRR)
		}
		t.Print(w)
		if c.By == "pattern" {
			fmt.Fprintln(w, "(inverse relations are some of the general ones)")
		}
	})
}
