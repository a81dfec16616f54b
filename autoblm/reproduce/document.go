package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/autoblm/autoblm-go/internal/record"
)

// Document is a result with what it was measured by.
type Document = record.Document[Result]

// Continue runs a plan from where its result file is, writes the file anew where there is
// more to tell, and cleans up what is complete. As with [Run], a result can come beside an
// error; without one, there is no document.
func Continue(ctx context.Context, p Plan, by record.By) (*Document, error) {
	d, err := record.Read[Result](p.ResultFile())
	switch {
	case err == nil:
		p.Before = &d.Result
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot go on with the result of before: %w", err)
	}
	before := d.Result
	result, err := Run(ctx, p)
	if result == nil {
		return nil, err
	}
	if before.Complete && reflect.DeepEqual(before.Search, result.Search) && reflect.DeepEqual(before.Final, result.Final) {
		result.Engine, result.Backend = before.Engine, before.Backend // which did the last piece
	}
	if !reflect.DeepEqual(*result, before) {
		by.Engine, by.Backend = result.Engine, result.Backend
		d = record.Now(ctx, by, *result)
		d.Result.Backend = record.HidePaths(result.Backend)
		if err := d.Write(p.ResultFile()); err != nil {
			return nil, fmt.Errorf("cannot write the result: %w", err)
		}
	}
	if result.Complete {
		if err := p.clean(); err != nil {
			return nil, err
		}
	}
	return &d, err
}
