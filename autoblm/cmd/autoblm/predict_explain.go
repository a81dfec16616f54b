package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// explain adds explanations to predictions, if they were asked for.
func (c *predictCommand) explain(
	ctx context.Context, a *completion.Answerer, predictions []completion.Prediction,
) error {
	if c.Explain == 0 {
		return nil
	}
	err := a.Explain(ctx, predictions, c.Explain)
	if errors.Is(err, completion.ErrNoTrain) {
		return fmt.Errorf("%w (name the graph with --dataset)", err)
	}
	return err
}

// printReasons prints the training triples that speak for answers, if there are any. name returns
// the name of an answer.
func printReasons(w io.Writer, rows []row, name func(r row) string) {
	t, found := table.New("answer", "because", "", "", "influence"), false
	for _, r := range rows {
		answer := name(r)
		for _, b := range r.Because {
			t.Add(answer, b.Head, b.Relation, b.Tail, fmt.Sprintf("%.3f", b.Influence))
			answer, found = "", true
		}
	}
	if found {
		fmt.Fprintln(w)
		t.Print(w)
		fmt.Fprintln(w, "\nThe influence approximates how far the score would fall without the triple.")
	}
}

// reasonTitles are the titles of the columns of an explanation.
var reasonTitles = []string{"because_head", "because_relation", "because_tail", "influence"}

// reasons returns a line for each training triple that speaks for the answer, or one without.
func (r row) reasons() (lines [][]string) {
	for _, b := range r.Because {
		lines = append(lines, slices.Concat(r.fields(), []string{format.Escape(b.Head),
			format.Escape(b.Relation), format.Escape(b.Tail),
			strconv.FormatFloat(b.Influence, 'g', -1, 64)}))
	}
	if lines == nil {
		lines = [][]string{append(r.fields(), "", "", "", "")}
	}
	return lines
}
