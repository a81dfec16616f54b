package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
)

// advice says which command helps against what the library says.
var advice = []struct {
	against error
	command string
}{
	{backend.ErrNoDigest, "backend install cpu --sha256 DIGEST"},
	{datasets.ErrNotFound, "dataset fetch"},
	{datasets.ErrIncomplete, "dataset fetch"},
	{datasets.ErrNotFolder, "dataset split, which makes a folder of one file of triples"},
	{completion.ErrNoValidation, "dataset split, which makes some of a file of triples"},
	{query.ErrNoQueries, "query sample"},
	{search.ErrFixedTraining, "classify train --tune"},
}

// readers are the commands that are for the models of a task.
var readers = map[string]string{
	completion.TaskName: "autoblm predict and autoblm eval",
	query.TaskName:      "autoblm query predict and autoblm query eval",
	classify.TaskName:   "autoblm classify predict and autoblm classify eval",
}

// trainers are the commands that are for the data of a task.
var trainers = map[string]string{
	completion.TaskName: "autoblm train and autoblm search",
	query.TaskName:      "autoblm query train and autoblm search --task query",
	classify.TaskName:   "autoblm classify train and autoblm search --task classify",
}

// advised adds the command that helps, where there is one. What says no more than that it was
// interrupted had nothing to keep.
func advised(err error) error {
	if errors.Is(err, context.Canceled) && err.Error() == context.Canceled.Error() {
		return errors.New("interrupted before there was anything to keep")
	}
	for _, a := range advice {
		if errors.Is(err, a.against) {
			return fmt.Errorf("%w (see autoblm %s)", err, a.command)
		}
	}
	if errors.Is(err, kge.ErrOtherEngine) {
		return fmt.Errorf("%w (--mix-engines goes on all the same)", err)
	}
	if errors.Is(err, stage.ErrNoTimeLimit) {
		return fmt.Errorf("%w (--minutes 10 plans it for ten minutes)", err)
	}
	var none *datasets.NoGraphError
	if errors.As(err, &none) {
		for _, kind := range autoblm.Tasks {
			if commands := trainers[kind.Name]; commands != "" && kind.Holds(none.Source) {
				return fmt.Errorf("%w (%s is for %s)", err, none.Source, commands)
			}
		}
	}
	return err
}

// opened is what open makes of a name. An interruption is heard at once: nothing is lost by it.
func opened[Name, Data any](ctx context.Context, open func(Name) (Data, error), name Name) (Data, error) {
	return ctxutil.Call(ctx, func() (Data, error) { return open(name) })
}

// read is opened for data, which says what it reads where that takes long.
func read[Data any](ctx context.Context, o *output, open func(string) (Data, error), name string) (Data, error) {
	defer showing(o, "reading "+format.Escape(name))()
	return opened(ctx, open, name)
}

// warn says what data carry of warnings.
func warn(o *output, warnings []string) {
	for _, warning := range warnings {
		o.Message("autoblm: warning: %s", warning)
	}
}
