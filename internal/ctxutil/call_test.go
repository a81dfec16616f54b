package ctxutil_test

import (
	"context"
	"errors"
	"testing"

	"github.com/autoblm/autoblm-go/internal/ctxutil"
)

func TestCall(t *testing.T) {
	wrong := errors.New("wrong")
	if n, err := ctxutil.Call(t.Context(), func() (int, error) { return 3, wrong }); n != 3 ||
		err != wrong {
		t.Errorf("%d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	forever := make(chan int)
	defer close(forever)
	if n, err := ctxutil.Call(ctx, func() (int, error) { cancel(); return <-forever, nil }); n != 0 ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("what ended in its middle: %d, %v", n, err)
	}
	if n, err := ctxutil.Call(ctx, func() (int, error) { return 4, nil }); n != 4 || err != nil {
		t.Errorf("what began after the end: %d, %v", n, err)
	}
}
