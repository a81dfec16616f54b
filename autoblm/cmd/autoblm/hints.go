package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/cluster"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/facts"
)

// hints are the commands that fix errors of the library.
var hints = []struct {
	err     error
	command string
}{
	{datasets.ErrNotFound, "dataset fetch"},
	{datasets.ErrIncomplete, "dataset fetch"},
	{datasets.ErrNotFolder, "dataset import, which writes a folder from files of facts"},
	{datasets.ErrMalformed, "dataset import, which reads files with comments and other columns"},
	{facts.ErrMalformed, "dataset import --lenient, whose folder all commands read, or classify train --lenient; both skip and count such lines"},
	{facts.ErrColumns, "dataset import --columns"},
	{query.ErrNoQueries, "query sample"},
	{completion.ErrNoSettings, "train --from"},
	{search.ErrFixedTraining, "classify train --tune"},
	{classify.ErrOtherTask, "predict and eval, or query predict and query eval for paths"},
}

// taskReaders are the commands that read the models of a task.
var taskReaders = map[string]string{
	completion.TaskName: "autoblm predict and autoblm eval",
	query.TaskName:      "autoblm query predict and autoblm query eval",
	classify.TaskName:   "autoblm classify predict and autoblm classify eval",
}

// taskTrainers are the commands that train on the data of a task.
var taskTrainers = map[string]string{
	completion.TaskName: "autoblm train and autoblm search",
	query.TaskName:      "autoblm query train and autoblm search --task query",
	classify.TaskName:   "autoblm classify train and autoblm search --task classify",
}

// isInterruption reports whether an error only says that the program was interrupted.
func isInterruption(err error) bool {
	return errors.Is(err, context.Canceled) && (err.Error() == context.Canceled.Error() ||
		strings.HasSuffix(err.Error(), "signal received")) // the cause of signal.NotifyContext
}

// withHint adds the command or flag that fixes an error, if one does.
func withHint(err error) error {
	if isInterruption(err) {
		return errors.New("interrupted before there was a result to save")
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return fmt.Errorf("%w (see autoblm %s)", err, h.command)
		}
	}
	if errors.Is(err, kge.ErrOtherEngine) {
		return fmt.Errorf("%w (searches, ablations and reproductions continue anyway with --mix-engines)", err)
	}
	if errors.Is(err, kge.ErrNoTeacher) {
		return fmt.Errorf("%w (--from-ensemble)", err)
	}
	if errors.As(err, new(x509.UnknownAuthorityError)) {
		return fmt.Errorf("%w (--tls-ca FILE)", err)
	}
	if cluster.IsRefused(err) {
		return fmt.Errorf("%w (--nkey FILE)", err)
	}
	if errors.Is(err, stage.ErrNoTimeLimit) {
		return fmt.Errorf("%w (--minutes 10 plans for ten minutes)", err)
	}
	if none, is := errors.AsType[*datasets.NoGraphError](err); is {
		for _, t := range tasks.All {
			if commands := taskTrainers[t.Name]; commands != "" && t.Holds(none.Source) {
				return fmt.Errorf("%w (%s is data for %s)", err, none.Source, commands)
			}
		}
	}
	return err
}
