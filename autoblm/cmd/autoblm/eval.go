package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type evalCommand struct {
	Model   string    `required:"" placeholder:"DIR" brief:"Folder of a model, ensemble or search." help:"Folder of a model, of an ensemble, or of a search."`
	Dataset string    `required:"" placeholder:"NAME|DIR" brief:"Name from dataset list, or a folder." help:"Name from dataset list, or a folder."`
	Split   string    `default:"test" enum:"train,valid,test" brief:"${enum}." help:"train, valid or test."`
	Ties    eval.Ties `default:"pessimistic" brief:"pessimistic, optimistic or realistic." help:"Rank among equal scores: pessimistic, optimistic or realistic."`
	By      string    `default:"" enum:",relation,pattern" placeholder:"relation|pattern" brief:"Metrics by relation or by relation pattern." help:"Metrics by relation or by relation pattern."`
	Sample  int       `min:"0" max:"1000000000" brief:"Rank a random sample of this size; 0: all." help:"Rank a random sample of this number of triples and state the standard error of its MRR; 0 ranks all. It is the same sample each time, and a larger one contains it."`
	precisionFlag
	computeFlags
}

// evalSummary is the JSON of eval. Only the ranked split is set.
type evalSummary struct {
	modelSummary
	Dataset   string                 `json:"dataset"`
	Members   int                    `json:"members,omitempty"` // of an ensemble
	Precision kge.Precision          `json:"precision"`
	Engine    string                 `json:"engine"`
	Backend   string                 `json:"backend"`
	Seconds   kge.Timing             `json:"seconds"`
	Train     *completion.Evaluation `json:"train,omitempty"`
	Valid     *completion.Evaluation `json:"valid,omitempty"`
	Test      *completion.Evaluation `json:"test,omitempty"`
	By        []completion.Part      `json:"by,omitempty"`
}

func (c *evalCommand) Run(ctx context.Context, o *output) error {
	l, err := load(c.Model)
	if err != nil {
		return err
	}
	g, err := read(ctx, o, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings(c.Split))
	models := l.models()
	if g, err = completion.Align(models[0], g); err != nil {
		return err
	}
	engine, err := c.open(anyForm(models))
	if err != nil {
		return err
	}
	defer engine.Close()
	s := evalSummary{Dataset: g.Name}
	done := showActivity(o, "ranking")
	triples, ranks, err := c.rank(ctx, engine, l, g, &s)
	done()
	if err != nil {
		return err
	}
	split, err := g.Split(c.Split)
	if err != nil {
		return err
	}
	e := completion.SummarizeSample(ranks, len(split), c.Ties)
	switch c.Split {
	case "train":
		s.Train = &e
	case "valid":
		s.Valid = &e
	default:
		s.Test = &e
	}
	switch c.By {
	case "relation":
		s.By = completion.ByRelation(g, triples, ranks, c.Ties)
	case "pattern":
		s.By = completion.ByPattern(g, triples, ranks, c.Ties)
	}
	return o.Result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s%s: %s %s triples, %s ties\n\n", s.Dataset, s.title(),
			s.Precision.Suffix(), format.Int(e.Triples), c.Split, e.Ties)
		t := completion.NewTable()
		e.AddTo(t, "both", true)
		t.Print(w)
		if len(s.By) == 0 {
			return
		}
		fmt.Fprintln(w)
		t = table.New(c.By, "triples", "MRR", "H@1", "H@10", "head MRR", "tail MRR")
		for _, p := range s.By {
			t.Add(p.Name, p.Triples, p.Both.MRR, p.Both.Hits1, p.Both.Hits10, p.Head.MRR, p.Tail.MRR)
		}
		t.Print(w)
		if c.By == "pattern" {
			fmt.Fprintln(w, "(inverse relations have another pattern too)")
		}
	})
}

// rank ranks with a model or an ensemble and describes it in the summary.
func (c *evalCommand) rank(
	ctx context.Context, engine kge.Engine, l loaded, g *datasets.Graph, s *evalSummary,
) (triples []datasets.Triple, ranks []eval.Ranked, err error) {
	if l.ensemble != nil {
		if c.Precision == kge.Bfloat16 {
			return nil, nil, cli.Usage(errors.New("ensembles rank in float32 only: use --precision " +
				"float32 or auto"))
		}
		s.Members, s.Precision = len(l.ensemble.Members), kge.Float32
	} else {
		m := l.model
		s.modelSummary = summarizeModel(m.Form, m.Structure, m.Dim)
		s.Precision, err = c.Precision.ForRanking(engine, []kge.Parameters{m.Parameters})
		if err != nil {
			return nil, nil, err
		}
	}
	s.Engine, s.Backend = engine.Name(), engine.Backend(s.Precision)
	defer s.Seconds.MeasureEvaluation(engine)()
	if l.ensemble != nil {
		return l.ensemble.Rank(ctx, engine, g, c.Split, c.Sample)
	}
	triples, all, err := completion.RankSplit(
		ctx, engine, s.Precision, l.models(), g, c.Split, c.Sample)
	if err != nil {
		return nil, nil, err
	}
	return triples, all[0], nil
}

// title describes the model or ensemble.
func (s evalSummary) title() string {
	if s.Members > 0 {
		return "an ensemble of " + format.Count(s.Members, "model")
	}
	return fmt.Sprintf("%s, d %d", s.modelSummary.title(), s.Dim)
}
