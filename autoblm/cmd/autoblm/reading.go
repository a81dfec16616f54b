package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
)

// read opens data, with a progress bar if it takes long. It returns at once if ctx is cancelled.
func read[Data any](
	ctx context.Context, o *output, open func(string) (Data, error), name string,
) (Data, error) {
	defer showActivity(o, "reading "+format.Escape(name))()
	return ctxutil.Call(ctx, func() (Data, error) { return open(name) })
}

// warn prints the warnings of a data set, the long ones in brief unless --verbose is given, and adds
// them to the JSON of the result.
func warn(o *output, warnings []string) {
	o.Warnings = append(orEmpty(o.Warnings), warnings...)
	for _, warning := range warnings {
		text := "autoblm: warning: " + warning
		if !o.Verbose && format.Width(text) > cli.Width(o.Stderr) {
			text = "autoblm: warning: " + datasets.Brief(warning)
			defer o.Once("autoblm: --verbose shows examples and fixes")
		}
		o.Message("%s", text)
	}
}

// dataOf returns the source of the training data of a model, "" if that is unknown.
func dataOf(m *kge.Model) string {
	return datasets.SourceFolder(cmp.Or(m.Source, m.Dataset))
}

// warnTrainedOn warns about triples of splits of g that models were trained on. Where g may have
// grown since the training, it does not warn that this is unknown.
func warnTrainedOn(
	ctx context.Context, o *output, models []*kge.Model, g *datasets.Graph, mayGrow bool,
	splits ...string,
) {
	open := func(source string) (*datasets.Graph, error) {
		return read(ctx, o, datasets.Open, source)
	}
	leaks, unchecked := completion.Leakage(models, g, open, splits...)
	if mayGrow {
		unchecked = nil
	}
	var warnings []string
	for _, leak := range leaks {
		warnings = append(warnings, leak.Warning())
	}
	warn(o, append(warnings, unchecked...))
}

// warnPathsTrainedOn warns about queries of a split of d whose answers a model has learned from other
// data.
func warnPathsTrainedOn(
	ctx context.Context, o *output, m *kge.Model, d *query.Data, split query.Split, hops int,
) {
	open := func(source string) (t query.Trained, err error) {
		if m.Training == nil || m.Training.TaskSettings == nil { // of triples
			g, err := read(ctx, o, datasets.Open, datasets.SourceFolder(source))
			if err != nil {
				return t, err
			}
			return query.Trained{Data: query.FromGraph(g), Fingerprint: g.Fingerprint()}, nil
		}
		trained := query.PathsOf(m).TrainingHops()
		prepare := func(name string) (*query.Data, error) {
			return query.Prepare(ctx, name, nil, trained...)
		}
		t.Data, err = read(ctx, o, prepare, source)
		if err == nil {
			t.Fingerprint = t.Data.Fingerprint(trained...)
		}
		return t, err
	}
	leaks, unchecked := query.Leakage(ctx, m, d, split, hops, open)
	warn(o, slices.Concat(leaks, unchecked))
}

// warnLongPath warns if a query has a longer path than the training of the model had.
func warnLongPath(o *output, m *kge.Model, hops int) {
	trained := query.PathsOf(m).TrainingHops()
	if n := len(trained); n > 0 && hops > trained[n-1] {
		o.Message("autoblm: the query has %d hops, the training of the model had up to %s",
			hops, format.Count(trained[n-1], "hop"))
	}
}
