package query

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
)

// dying ends after so many looks at it.
type dying struct {
	context.Context
	looks int
}

func (d *dying) Err() error {
	d.looks--
	if d.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedDrawing checks that drawing looks at the context for each entity, or for each
// walk.
func TestInterruptedDrawing(t *testing.T) {
	d := FromGraph(datasets.World())
	for _, hops := range []int{1, 2} {
		ctx := &dying{t.Context(), 5}
		if _, err := d.Sample(ctx, Sample{Split: InTrain, Hops: hops}); !errors.Is(err,
			context.Canceled) || ctx.looks != -1 {
			t.Errorf("%d hops: %v after %d looks too many", hops, err, -1-ctx.looks)
		}
		if d.Queries(InTrain, hops) != nil {
			t.Errorf("%d hops: there are queries", hops)
		}
	}
}

// TestSampleLimits checks that samples that would never end are refused.
func TestSampleLimits(t *testing.T) {
	d := FromGraph(datasets.World())
	for want, s := range map[string]Sample{
		"a path of 100 hops: it may have 1 to 99": {Hops: 100}, "a path of 0 hops": {},
		"count is 10000001: it must be from 0 to 10000000": {Hops: 2, Count: 10000001},
		"count is -1": {Hops: 2, Count: -1}, "there is no split 7": {Hops: 2, Split: 7},
	} {
		if _, err := d.Sample(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	empty := FromGraph(&datasets.Graph{Name: "empty", Entities: []string{"a"}, Relations: []string{"r"}})
	for _, s := range []Sample{{Hops: 2, Count: 5}, {Hops: 2, Split: InValid}} {
		if _, err := empty.Sample(t.Context(), s); !errors.Is(err, errNoneToDraw) {
			t.Errorf("%+v without facts: %v", s, err)
		}
	}
}
