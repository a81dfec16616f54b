package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/parquet-go/parquet-go"
)

// row is a triple with its prediction, in tables.
type row struct {
	Head     string  `json:"head" parquet:"head"`
	Relation string  `json:"relation" parquet:"relation"`
	Tail     string  `json:"tail" parquet:"tail"`
	Rank     int64   `json:"rank" parquet:"rank"`
	Score    float64 `json:"score" parquet:"score"`
	Share    float64 `json:"share" parquet:"share"`
	// Probability is nil for known triples and without calibration.
	Probability *float64 `json:"probability" parquet:"probability,optional"`
	Known       *bool    `json:"known" parquet:"known,optional"` // nil if it was not looked up
	// Verdict tells whether a whole triple that was asked for counts as true; nil for others.
	Verdict *bool `json:"verdict" parquet:"verdict,optional"`

	Because []eval.Reason `json:"because,omitempty" parquet:"because,list"`
}

// rowTitles are the titles of the columns.
var rowTitles = []string{
	"head", "relation", "tail", "rank", "score", "share", "probability", "known", "verdict",
}

// fields returns the values of the columns as text, without control characters.
func (r row) fields() []string {
	probability, flag := "", func(b *bool) string {
		if b == nil {
			return ""
		}
		return strconv.FormatBool(*b)
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	if r.Probability != nil {
		probability = number(*r.Probability)
	}
	return []string{format.Escape(r.Head), format.Escape(r.Relation), format.Escape(r.Tail),
		strconv.FormatInt(r.Rank, 10), number(r.Score), number(r.Share), probability,
		flag(r.Known), flag(r.Verdict)}
}

// writeRows writes the rows that fill passes on, in the format of the command.
func (c *predictCommand) writeRows(
	o *output, fill func(write func(rows []row) error) error,
) error {
	if c.Format == "parquet" && o.IsTerminal() {
		return errors.New("parquet is binary: write it into a file with > FILE")
	}
	o.Stdout.Raw = c.Format == "parquet"
	buffer := bufio.NewWriter(o.Stdout)
	table := tableOf{rowTitles, func(r row) [][]string { return [][]string{r.fields()} }}
	if c.Explain > 0 {
		table = tableOf{slices.Concat(rowTitles, reasonTitles), row.reasons}
	}
	if err := fillRows(c.Format, table, buffer, fill); err != nil {
		return err
	}
	return buffer.Flush()
}

// tableOf has the titles of the columns of a table, and turns a row into lines of it.
type tableOf struct {
	titles []string
	lines  func(r row) [][]string
}

// fillRows writes rows in a format.
func fillRows(
	as string, t tableOf, to *bufio.Writer, fill func(write func(rows []row) error) error,
) error {
	switch as {
	case "parquet":
		w := parquet.NewGenericWriter[row](to)
		err := fill(func(rows []row) error {
			_, err := w.Write(rows)
			return err
		})
		if err != nil {
			return err
		}
		return w.Close()
	case "jsonl":
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		return fill(func(rows []row) error {
			for _, r := range rows {
				if err := encoder.Encode(r); err != nil {
					return err
				}
			}
			return to.Flush()
		})
	case "csv":
		w := csv.NewWriter(to)
		if err := w.Write(t.titles); err != nil {
			return err
		}
		return fill(func(rows []row) error {
			for _, r := range rows {
				if err := w.WriteAll(t.lines(r)); err != nil {
					return err
				}
			}
			w.Flush()
			return w.Error()
		})
	}
	line := func(fields []string) error {
		_, err := io.WriteString(to, strings.Join(fields, "\t")+"\n")
		return err
	}
	if err := line(t.titles); err != nil {
		return err
	}
	return fill(func(rows []row) error {
		for _, r := range rows {
			for _, fields := range t.lines(r) {
				if err := line(fields); err != nil {
					return err
				}
			}
		}
		return to.Flush()
	})
}
