package main

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
)

// opened calls open, but returns at once if ctx is cancelled.
func opened[Name, Data any](
	ctx context.Context, open func(Name) (Data, error), name Name,
) (Data, error) {
	return ctxutil.Call(ctx, func() (Data, error) { return open(name) })
}

// read opens data like opened, with a progress bar if it takes long.
func read[Data any](
	ctx context.Context, o *output, open func(string) (Data, error), name string,
) (Data, error) {
	defer showActivity(o, "reading "+format.Escape(name))()
	return opened(ctx, open, name)
}

// warn prints the warnings of a data set.
func warn(o *output, warnings []string) {
	for _, warning := range warnings {
		o.Message("autoblm: warning: %s", warning)
	}
}

// warnLongPath warns if a query has a longer path than the training of the model had.
func warnLongPath(o *output, m *kge.Model, hops int) {
	trained := query.PathsOf(m).TrainingHops()
	if n := len(trained); n > 0 && hops > trained[n-1] {
		o.Message("autoblm: the query has %d hops, the training of the model had up to %s",
			hops, format.Count(trained[n-1], "hop"))
	}
}
