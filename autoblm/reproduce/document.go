package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/autoblm/autoblm-go/internal/record"
)

// Document is a result with the command and the machine that produced it.
type Document = record.Document[Result]

// Setup describes how a result was measured.
type Setup = record.Setup

// Continue resumes a plan from its result file, updates the file, and removes the checkpoints of
// a complete plan. As with [Run], it may return a result next to an error.
func Continue(ctx context.Context, p Plan, by Setup) (*Document, error) {
	d, err := record.Read[Result](p.ResultFile())
	switch {
	case err == nil:
		p.Before = &d.Result
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot resume: %w", err)
	}
	before := d.Result
	result, err := Run(ctx, p)
	if result == nil {
		return nil, err
	}
	sameStages := reflect.DeepEqual(before.Search, result.Search) &&
		reflect.DeepEqual(before.Final, result.Final)
	if before.Complete && sameStages { // this call trained nothing
		result.Engine, result.Backend = before.Engine, before.Backend
	}
	if !reflect.DeepEqual(*result, before) {
		by.Engine, by.Backend = result.Engine, result.Backend
		d = record.New(ctx, by, *result)
		d.Result.Backend = record.HidePaths(result.Backend)
		if err := d.Write(p.ResultFile()); err != nil {
			return nil, fmt.Errorf("cannot write the result: %w", err)
		}
	}
	if result.Complete {
		if err := p.removeCheckpoints(); err != nil {
			return nil, err
		}
	}
	return &d, err
}
