package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type querySampleCommand struct {
	Dataset string        `required:"" placeholder:"NAME|DIR" help:"Graph, as for train, or a folder of queries, whose other queries are kept."`
	Hops    []int         `required:"" placeholder:"NUMBERS" min:"1" max:"99" help:"Lengths of the paths, separated by commas."`
	Splits  []query.Split `name:"split" default:"train,valid,test" help:"train, valid and test, or some of them."`
	Count   int           `default:"0" min:"0" max:"10000000" help:"Number per length above 1; all of length 1 are kept. 0: as many training queries as of one hop, and 5,000 for valid and test."`
	Seed    uint64        `default:"1" help:"Seed of the sample."`
	Out     string        `required:"" placeholder:"DIR" help:"Folder for the queries, for --dataset of query train and query eval."`
}

// querySampleSummary is the JSON of query sample.
type querySampleSummary struct {
	Dataset string        `json:"dataset"`
	Seed    uint64        `json:"seed"`
	Seconds float64       `json:"seconds"`
	Drawn   []drawnSample `json:"drawn"`
	Out     string        `json:"out"`
}

type drawnSample struct {
	Split   query.Split `json:"split"`
	Hops    int         `json:"hops"`
	Queries int         `json:"queries"`
	Hard    int         `json:"hard_answers"`
	Easy    int         `json:"easy_answers"`
}

func (c *querySampleCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	if err := errors.Join(checkOnce("hops", c.Hops), checkOnce("split", c.Splits)); err != nil {
		return cli.Usage(err)
	}
	if err := query.CanWrite(c.Out); err != nil {
		return err
	}
	open := func(name string) (*query.Data, error) { return query.Open(name) }
	d, err := read(ctx, o, open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, d.Warnings(ctx, nil))
	s := querySampleSummary{Dataset: d.Name, Seed: c.Seed, Out: c.Out, Drawn: []drawnSample{}}
	for _, split := range c.Splits {
		for _, hops := range c.Hops {
			sample := query.Sample{Split: split, Hops: hops, Count: c.Count, Seed: c.Seed}
			drawn, err := d.Sample(ctx, sample)
			if err != nil {
				return err
			}
			switch {
			case hops > 1 && c.Count > drawn:
				o.Message("autoblm: found only %s of %s in %s",
					format.Count(drawn, split.String()+" path"), format.Count(hops, "hop"), d.Name)
			case hops == 1 && c.Count > 0:
				o.Message("autoblm: all %s of 1 hop are kept, as they are the graph: --count is for longer ones",
					format.Count(drawn, split.String()+" path"))
			}
			each := drawnSample{Split: split, Hops: hops, Queries: drawn}
			for _, q := range d.Queries(split, hops) {
				each.Hard, each.Easy = each.Hard+len(q.Hard), each.Easy+len(q.Easy)
			}
			s.Drawn = append(s.Drawn, each)
		}
	}
	if err := d.WriteFolder(c.Out); err != nil {
		return err
	}
	o.Saved("the queries are in %s", c.Out)
	s.Seconds = time.Since(began).Seconds()
	return o.Result(s, func(w io.Writer) {
		t := table.New("drawn", "hops", "queries", "hard answers", "easy answers")
		for _, each := range s.Drawn {
			t.Add(each.Split, each.Hops, each.Queries, each.Hard, each.Easy)
		}
		t.Print(w)
		fmt.Fprintf(w, "\nThe queries are in %s\n", c.Out)
	})
}

// checkOnce returns an error if a value is repeated, for it would be drawn twice.
func checkOnce[T cmp.Ordered](name string, values []T) error {
	if distinct := slices.Compact(slices.Sorted(slices.Values(values))); len(distinct) < len(values) {
		return fmt.Errorf("%s is %s: give each once", name, format.List(values, "and"))
	}
	return nil
}
