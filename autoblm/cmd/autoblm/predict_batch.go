package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Numbers of queries that are answered together. Their answers are written before the next ones are
// computed.
const (
	chunkQueries     = 4096
	explainedQueries = 16 // with explanations, which take much longer than answers
)

// predictions is the JSON of predict --queries.
type predictions struct {
	Predictions []completion.Prediction `json:"predictions"`
}

// answerAll answers the queries of a file. Those with unknown labels are skipped.
func (c *predictCommand) answerAll(
	ctx context.Context, o *output, a *completion.Answerer, queries []completion.LineQuery,
	options completion.PredictOptions,
) error {
	done := showActivity(o, "predicting")
	defer func() { done() }()
	source := c.Queries
	if source == "-" {
		source = "the standard input"
	}
	skipped, together := 0, chunkQueries
	if c.Explain > 0 {
		together = explainedQueries
		if len(queries) > together {
			a.Prepare()
		}
	}
	answer := func(visit func(p []completion.Prediction) error) error {
		for chunk := range slices.Chunk(queries, together) {
			plain := make([]completion.Query, len(chunk))
			for i, q := range chunk {
				plain[i] = q.Query
			}
			answered, err := a.Predict(ctx, plain, options)
			if err == nil {
				err = c.explain(ctx, a, answered)
			}
			if err != nil {
				return err
			}
			var good []completion.Prediction
			for i, p := range answered {
				if p.Err == nil {
					good = append(good, p)
					continue
				}
				if skipped++; skipped <= 3 || o.Verbose {
					o.Message("autoblm: %s:%d is skipped: %s", source, chunk[i].Line, p.Err)
				}
			}
			if err := visit(good); err != nil {
				return err
			}
		}
		if skipped == len(queries) {
			return fmt.Errorf("%s has no query that the model can answer", source)
		}
		if skipped > 0 {
			o.Message("autoblm: %d of %s skipped", skipped,
				format.Count(len(queries), "query"))
		}
		return nil
	}
	if c.Format != "text" {
		return c.writeRows(o, func(write func(rows []row) error) error {
			return answer(func(p []completion.Prediction) error { return write(rowsOf(p...)) })
		})
	}
	all := predictions{Predictions: []completion.Prediction{}}
	err := answer(func(p []completion.Prediction) error {
		all.Predictions = append(all.Predictions, p...)
		return nil
	})
	done()
	done = func() {}
	if err != nil {
		return err
	}
	return o.Result(all, func(w io.Writer) {
		printRows(w, rowsOf(all.Predictions...))
		printReasons(w, rowsOf(all.Predictions...), func(r row) string {
			return r.Head + ", " + r.Relation + ", " + r.Tail
		})
	})
}

// likeliest lists the likeliest missing triples.
func (c *predictCommand) likeliest(
	ctx context.Context, o *output, a *completion.Answerer, options completion.PredictOptions,
) error {
	done := showActivity(o, "predicting")
	facts, err := a.Likeliest(ctx, c.Relation, options)
	done()
	if err != nil {
		return err
	}
	if len(facts) == 0 {
		what := "of entities of the right kinds is missing; --any compares entities of any kind"
		if c.Any {
			what = "is missing"
		}
		o.Message("autoblm: no triple %s", what)
	}
	rows := make([]row, len(facts))
	for i, f := range facts {
		rows[i] = row{
			Head: f.Head, Relation: f.Relation, Tail: f.Tail, Rank: int64(f.Rank), Score: f.Score,
			Share: f.Share, Known: new(bool),
		}
	}
	if c.Format != "text" {
		return c.writeRows(o, func(write func(rows []row) error) error { return write(rows) })
	}
	found := struct {
		Answers []completion.Fact `json:"answers"`
	}{facts}
	return o.Result(found, func(w io.Writer) { printRows(w, rows) })
}

// rowsOf returns the answers of predictions as triples.
func rowsOf(all ...completion.Prediction) (rows []row) {
	for _, p := range all {
		for _, a := range p.Answers {
			q := p.Query.Answered(a)
			r := row{
				Head: q.Head, Relation: q.Relation, Tail: q.Tail,
				Rank: int64(a.Rank), Score: a.Score, Share: a.Share, Probability: a.Probability,
				Verdict: a.Verdict, Because: a.Because,
			}
			if a.Known != eval.NotLookedUp {
				isKnown := a.Known == eval.Yes
				r.Known = &isKnown
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// printRows prints triples as a table, with probabilities. If a new triple has no probability, such
// as an answer to a query for the relation, there is a column of shares as well.
func printRows(w io.Writer, rows []row) {
	titles := []string{"head", "relation", "tail", "rank", "score"}
	hasProbabilities := slices.ContainsFunc(rows, func(r row) bool { return r.Probability != nil })
	hasShares := !hasProbabilities || slices.ContainsFunc(rows, func(r row) bool {
		return r.Probability == nil && (r.Known == nil || !*r.Known)
	})
	if hasShares {
		titles = append(titles, "share")
	}
	if hasProbabilities {
		titles = append(titles, "probability")
	}
	t := table.New(append(titles, "")...)
	for _, r := range rows {
		cells := []any{r.Head, r.Relation, r.Tail, r.Rank, fmt.Sprintf("%.3f", r.Score)}
		if hasShares {
			cells = append(cells, shareText(r.Share))
		}
		if hasProbabilities {
			cells = append(cells, probabilityText(r.Probability))
		}
		var notes []string
		if r.Known != nil && *r.Known {
			notes = append(notes, "known")
		}
		if r.Verdict != nil {
			notes = append(notes, fmt.Sprintf("called %t", *r.Verdict))
		}
		t.Add(append(cells, strings.Join(notes, ", "))...)
	}
	t.Print(w)
}
