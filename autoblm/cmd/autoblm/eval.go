package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type evalCommand struct {
	Model    string    `required:"" placeholder:"DIR" brief:"Folder of a model, ensemble or search." help:"Folder of a model, of an ensemble, or of a search."`
	Dataset  string    `placeholder:"NAME|DIR" brief:"Name from dataset list, folder or file." help:"Name from dataset list, a folder, or a file of facts. The default is the training data of the model."`
	Split    string    `default:"test" enum:"train,valid,test" brief:"${enum}." help:"train, valid or test."`
	Ties     eval.Ties `default:"pessimistic" brief:"pessimistic, optimistic or realistic." help:"Rank among equal scores: pessimistic, optimistic or realistic."`
	By       string    `default:"" enum:",relation,pattern,degree" placeholder:"KIND" brief:"Metrics by relation, pattern or degree." help:"Metrics by relation, by relation pattern, or by the degree of the known entity: the number of training triples that it is the tail of."`
	Sample   int       `min:"0" max:"1000000000" brief:"Rank a random sample of this size; 0: all." help:"Rank a random sample of this number of triples and state the standard error of its MRR; 0 ranks all. It is the same sample each time, and a larger one contains it."`
	Classify bool      `brief:"Decide which triples are true." help:"Decide for the triples of the split and as many false ones whether they are true. The data may have the false ones in valid_neg.txt and test_neg.txt; otherwise true ones are corrupted."`
	Seed     uint64    `default:"1" brief:"Seed of the corrupted triples." help:"Seed of the corrupted triples of --classify."`
	FoldIn   bool      `brief:"Learn new labels from train first." help:"First learn the embeddings of labels that the model lacks from the training triples, and leave all others as they are."`
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
	// Typed has the metrics among entities of the right kind.
	Typed *completion.TypedEvaluation `json:"typed,omitempty"`
	// Given has the metrics among the negatives of the data set, with realistic ties.
	Given *completion.GivenEvaluation `json:"given_negatives,omitempty"`
	truthSummary
	// Popularity has the metrics of the baseline for the split.
	Popularity popularity              `json:"popularity,omitempty"`
	ByDegree   []completion.DegreePart `json:"by_degree,omitempty"`
	// Unknown counts the triples with labels that the model lacks, which are not ranked.
	Unknown *completion.Unknown `json:"unknown,omitempty"`
}

func (c *evalCommand) Run(ctx context.Context, o *output) error {
	p, err := load(c.Model)
	if err != nil {
		return err
	}
	g, err := c.graph(ctx, o, p.Models()[0])
	if err != nil {
		return err
	}
	warn(o, g.Warnings(c.Split))
	warnTrainedOn(ctx, o, p.Models(), g, c.FoldIn, c.Split)
	if c.FoldIn {
		c.Compute = c.ForFoldIn(p.Models())
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	if c.FoldIn {
		if p, err = foldIn(ctx, o, engine, p, g); err != nil {
			return err
		}
	}
	source := g
	g, unknown, err := completion.AlignKnown(p.Models()[0], g)
	if err != nil {
		return err
	}
	if known, err := g.Split(c.Split); err != nil || len(known) == 0 && unknown.Missing != nil {
		return cmp.Or(err, unknown.Missing)
	}
	if err := c.checkClassify(g); err != nil {
		return err
	}
	s := evalSummary{Dataset: g.Name, Popularity: popularity{}}
	if unknown.Missing != nil {
		s.Unknown = &unknown
	}
	if err := c.describe(engine, p, &s); err != nil {
		return err
	}
	triples, ranks, err := c.rankGiven(ctx, o, p, source, g, &s)
	if err != nil {
		return err
	}
	ties := eval.Realistic
	if s.Given == nil || len(g.Entities) <= mostCompared {
		ties = c.Ties
		if triples, ranks, err = c.rankAll(ctx, o, engine, p, g, &s); err != nil {
			return err
		}
	}
	interrupted := c.rateTruth(ctx, o, p, source, &s)
	if interrupted != nil && ctx.Err() == nil {
		return interrupted
	}
	switch c.By {
	case "relation":
		s.By = completion.ByRelation(g, triples, ranks, ties)
	case "pattern":
		s.By = completion.ByPattern(g, triples, ranks, ties)
	case "degree":
		s.ByDegree = completion.ByDegree(g, triples, ranks, ties)
	}
	printed := o.Result(s, func(w io.Writer) {
		b := s.block(c, g)
		next := cli.Block{Next: b.Next}
		b.Next = nil
		o.Show(b)
		if e := s.evaluation(); o.Verbose && e != nil {
			t := completion.NewTable()
			e.AddTo(t, c.Split, true)
			s.Popularity.addTo(t, c.Split)
			fmt.Fprintf(w, "\n%s ties\n\n", e.Ties)
			t.Print(w)
		}
		s.printParts(w, c.By)
		o.Show(next)
	})
	return errors.Join(printed, interrupted) // which the ranking survives
}

// graph opens the data, by default those of the training. With --fold-in these may have grown.
func (c *evalCommand) graph(
	ctx context.Context, o *output, m *kge.Model,
) (*datasets.Graph, error) {
	if c.Dataset != "" {
		return read(ctx, o, datasets.Open, c.Dataset)
	}
	source := dataOf(m)
	if source == "" {
		return nil, cli.Usage(errors.New("the model does not record its training data: give --dataset"))
	}
	if m.Training != nil && m.Training.TaskSettings != nil {
		return nil, cli.Usage(errors.New("the model was trained on paths: use autoblm query eval, " +
			"or name a graph with --dataset"))
	}
	g, err := read(ctx, o, datasets.Open, source)
	if err != nil {
		return nil, fmt.Errorf("open the training data of the model: %w (name the data with --dataset)", err)
	}
	if !c.FoldIn && len(m.TrainedOn) == 0 {
		return nil, errors.New("evaluate the model: it does not record the contents of its training " +
			"data; name the data to evaluate on with --dataset")
	}
	if !c.FoldIn && m.TrainedOn[0].Fingerprint != g.Fingerprint() {
		return nil, fmt.Errorf("evaluate the model: %s has changed since the training; "+
			"name the data to evaluate on with --dataset", source)
	}
	return g, nil
}

// rankAll ranks a split among all entities and among those of the right kind, and sets the metrics.
func (c *evalCommand) rankAll(
	ctx context.Context, o *output, engine kge.Engine, p completion.Predictor, g *datasets.Graph,
	s *evalSummary,
) (triples []datasets.Triple, ranks []eval.Ranked, err error) {
	done := showActivity(o, "ranking")
	triples, ranks, err = c.rank(ctx, o, engine, p, g, s)
	done()
	if err != nil {
		return nil, nil, err
	}
	split, err := g.Split(c.Split)
	if err != nil {
		return nil, nil, err
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
	if s.Typed, err = c.rankTyped(ctx, o, p, g, triples, len(split)); err != nil {
		return nil, nil, err
	}
	if err := s.Popularity.add(ctx, g, c.Split, triples); err != nil {
		return nil, nil, err
	}
	s.Popularity.warn(o, c.Split, &e, trainLonger)
	return triples, ranks, nil
}

// evaluation returns the metrics among all entities, nil if these were too many.
func (s evalSummary) evaluation() *completion.Evaluation {
	return cmp.Or(s.Train, s.Valid, s.Test)
}

// rankTyped ranks triples of a split among entities of the right kind.
func (c *evalCommand) rankTyped(
	ctx context.Context, o *output, p completion.Predictor, g *datasets.Graph,
	triples []datasets.Triple, of int,
) (*completion.TypedEvaluation, error) {
	defer showActivity(o, "ranking by kind")()
	ranks, outside, err := completion.RankTyped(ctx, p, cpu.New(c.Threads), g, triples)
	if err != nil {
		return nil, err
	}
	e := completion.SummarizeSample(ranks, of, c.Ties)
	return &completion.TypedEvaluation{Evaluation: e, Outside: outside}, nil
}

// block returns the output without parts.
func (s evalSummary) block(c *evalCommand, g *datasets.Graph) cli.Block {
	e := s.evaluation()
	ranked := e
	if e == nil {
		ranked = &s.Given.Evaluation
	}
	b := cli.Block{Title: []string{"ranked " + c.Split, s.Dataset, s.title() + s.Precision.Suffix(),
		format.Count(ranked.Triples, "triple")}}
	if e != nil {
		addEvaluation(&b, c.Split, e)
		addMetrics(&b, "heads", e.Head, 0)
		addMetrics(&b, "tails", e.Tail, 0)
	}
	s.addGiven(&b)
	if s.Typed != nil {
		addMetrics(&b, "right kind", s.Typed.Both, 0)
		if s.Typed.Outside > 0 {
			what := "at that end of the relation in train"
			if g.Types != nil {
				what = "of the types at that end of the relation"
			}
			b.Note(fmt.Sprintf("%s of %s true entities are not %s; they rank last.",
				format.Int(s.Typed.Outside), format.Int(2*s.Typed.Triples), what))
		}
	}
	s.Popularity.addRow(&b, c.Split)
	s.truthSummary.addRows(&b)
	if s.Unknown != nil && s.Unknown.Of(c.Split) > 0 {
		fix := "--fold-in learns new labels, and train --from adds them."
		if c.FoldIn {
			fix = "train lacks them too."
		}
		b.Note(fmt.Sprintf("%s more cannot be ranked: %s. %s",
			format.Count(s.Unknown.Of(c.Split), "triple"), s.Unknown.Missing, fix))
	}
	if !c.FoldIn {
		b.Next = append(b.Next, nextTail(c.Model, g))
	}
	if c.By == "" {
		again := []string{"eval", "--model", c.Model, "--by", "relation"}
		if c.FoldIn {
			again = append(again, "--fold-in")
		}
		if c.Dataset != "" {
			again = append(again, "--dataset", c.Dataset)
		}
		if c.Split != "test" {
			again = append(again, "--split", c.Split)
		}
		b.Next = append(b.Next, shellCommand(again))
	}
	return b
}

// printParts prints the metrics by relation, pattern or degree.
func (s evalSummary) printParts(w io.Writer, by string) {
	var t *table.Table
	switch {
	case len(s.By) > 0:
		t = table.New(by, "triples", "MRR", "H@1", "H@10", "head MRR", "tail MRR")
		for _, p := range s.By {
			t.Add(p.Name, p.Triples, p.Both.MRR, p.Both.Hits1, p.Both.Hits10, p.Head.MRR, p.Tail.MRR)
		}
	case len(s.ByDegree) > 0:
		t = table.New("degree", "tail queries", "tail MRR", "head queries", "head MRR")
		for _, p := range s.ByDegree {
			t.Add(p.Degree, p.TailQueries, mrrOf(p.Tail, p.TailQueries), p.HeadQueries,
				mrrOf(p.Head, p.HeadQueries))
		}
	default:
		return
	}
	fmt.Fprintln(w)
	t.Print(w)
	if by == "pattern" {
		fmt.Fprintln(w, "(inverse relations have another pattern too)")
	}
}

// mrrOf returns the MRR of a number of queries, nil for none.
func mrrOf(m eval.Metrics, queries int) *float64 {
	if queries == 0 {
		return nil
	}
	return &m.MRR
}

// describe describes a model or an ensemble in the summary.
func (c *evalCommand) describe(
	engine kge.Engine, p completion.Predictor, s *evalSummary,
) (err error) {
	if m, isSingle := p.(completion.Single); isSingle {
		s.modelSummary = summarizeModel(m.Model)
		s.Precision, err = c.Precision.ForRanking(engine, []kge.Parameters{m.Parameters})
	} else if s.Members = len(p.Models()); c.Precision == kge.Bfloat16 {
		err = cli.Usage(completion.ErrEnsemblePrecision)
	}
	if err != nil {
		return err
	}
	s.Engine, s.Backend = engine.Name(), engine.Backend(s.Precision)
	return nil
}

// rank ranks with a model or an ensemble. The ranking with a model can be resumed.
func (c *evalCommand) rank(
	ctx context.Context, o *output, engine kge.Engine, p completion.Predictor, g *datasets.Graph,
	s *evalSummary,
) (triples []datasets.Triple, ranks []eval.Ranked, err error) {
	_, isSingle := p.(completion.Single)
	defer s.Seconds.MeasureEvaluation(engine)()
	file, done := "", func() error { return nil }
	if isSingle {
		if file, err = c.rankingFile(g, s); err != nil {
			return nil, nil, err
		}
	}
	if file != "" {
		resumable := resumableRanking(o, engine, file, time.Minute)
		engine, done = resumable, resumable.Done
	}
	triples, ranks, err = p.Rank(ctx, engine, s.Precision, g, c.Split, c.Sample)
	if err != nil {
		return nil, nil, rankingError(err, file)
	}
	return triples, ranks, done()
}

// title describes the model or ensemble.
func (s evalSummary) title() string {
	if s.Members > 0 {
		return "an ensemble of " + format.Count(s.Members, "model")
	}
	return fmt.Sprintf("%s, d %d", s.modelSummary.title(), s.Dim)
}
