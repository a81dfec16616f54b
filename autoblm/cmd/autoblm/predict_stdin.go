package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

const (
	maxQueryLine   = 1 << 20 // bytes
	maxLinesAtOnce = 256     // so that the first answers do not wait for long
)

// answerLine is the JSON of the answer to a line.
type answerLine struct {
	completion.Prediction
	Error string `json:"error,omitempty"`
}

// answerLines answers each line of JSON with one, in order, and does not wait for more lines. Those
// that have arrived are answered together.
func (c *predictCommand) answerLines(
	ctx context.Context, from io.Reader, to io.Writer, a *completion.Answerer,
	options completion.PredictOptions,
) error {
	a.Prepare()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	text := &textfile.File{Path: "standard input", Source: io.NopCloser(from)}
	lines := make(chan []byte, maxLinesAtOnce)
	go func() {
		defer close(lines)
		for line := range text.Lines(maxQueryLine) {
			select {
			case lines <- bytes.Clone(line):
			case <-ctx.Done():
				return
			}
		}
	}()
	w := bufio.NewWriter(to)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for {
		arrived, err := receive(ctx, lines)
		if err != nil {
			return err
		}
		if arrived == nil {
			return text.Err
		}
		answers, err := c.answerQueries(ctx, a, arrived, options)
		if err != nil {
			return err
		}
		for _, answer := range answers {
			if err := encoder.Encode(answer); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

// receive waits for a line, and returns it with the others that have arrived; nil at the end.
func receive(ctx context.Context, lines <-chan []byte) (arrived [][]byte, err error) {
	select {
	case line, open := <-lines:
		if !open {
			return nil, nil
		}
		arrived = append(arrived, line)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for len(arrived) < maxLinesAtOnce {
		select {
		case line, open := <-lines:
			if !open {
				return arrived, nil
			}
			arrived = append(arrived, line)
		default:
			return arrived, nil
		}
	}
	return arrived, nil
}

// answerQueries returns an answer or an error for each line.
func (c *predictCommand) answerQueries(
	ctx context.Context, a *completion.Answerer, lines [][]byte, options completion.PredictOptions,
) ([]answerLine, error) {
	queries, faults := make([]completion.Query, len(lines)), make([]error, len(lines))
	for i, line := range lines {
		if len(bytes.TrimSpace(line)) == 0 {
			faults[i] = errors.New("the line is empty")
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&queries[i]); err != nil {
			if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is { // which names a Go type
				err = fmt.Errorf("%s is of the type %s", cmp.Or(wrong.Field, "it"), wrong.Value)
			}
			faults[i] = fmt.Errorf("the line is no JSON of a query, such as "+
				`{"head":"Portugal","relation":"borders"}: %w`, err)
			queries[i] = completion.Query{}
		} else if decoder.More() {
			faults[i] = fmt.Errorf("the line has more than one JSON value: write one a line")
		}
		queries[i].ClearMarks()
	}
	predictions, err := a.Predict(ctx, queries, options)
	if err == nil {
		err = c.explain(ctx, a, predictions)
	}
	answers := make([]answerLine, len(predictions))
	for i, p := range predictions {
		if faults[i] != nil {
			p = completion.Prediction{Query: p.Query, Err: faults[i]}
		}
		answers[i].Prediction = p
		if p.Err != nil {
			answers[i].Answers, answers[i].Error = []eval.Answer{}, format.OneLine(p.Err)
		}
	}
	return answers, err
}
