package program_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/program"
)

func TestStatus(t *testing.T) {
	wrong := program.Usage(errors.New("no such\nflag"))
	for want, err := range map[string]error{
		"0 ":        nil,
		"1 p: it\n": errors.New("it"),
		"2 p: no such; flag (p --help says what is possible)\n":     wrong,
		"2 p: but no such; flag (p --help says what is possible)\n": fmt.Errorf("but %w", wrong),
	} {
		var stderr bytes.Buffer
		status := program.Status(&stderr, "p", err)
		if got := fmt.Sprintf("%d %s", status, stderr.String()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if program.Usage(nil) != nil {
		t.Error("no error became a mistake")
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutput(t *testing.T) {
	var stdout, recorded bytes.Buffer
	o := &program.Output{Stdout: &program.Careful{W: &stdout}, JSON: true, Record: func(value any) error {
		_, err := fmt.Fprint(&recorded, value)
		return err
	}}
	if err := o.Result("<a>", func(io.Writer) { t.Error("text was asked for") }); err != nil || stdout.String() != "\"<a>\"\n" || recorded.String() != "<a>" {
		t.Errorf("%v: %q, %q", err, stdout.String(), recorded.String())
	}
	o = &program.Output{Stdout: &program.Careful{W: closed{}}}
	if err := o.Result(1, func(w io.Writer) { fmt.Fprintln(w, "1"); fmt.Fprintln(w, "2") }); err != nil || !errors.Is(o.Stdout.Err, io.ErrClosedPipe) {
		t.Errorf("%v, %v", err, o.Stdout.Err)
	}
	o.Record = func(any) error { return io.ErrClosedPipe }
	if err := o.Result(1, nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a record that cannot be written: %v", err)
	}
}

// TestBarInALog: a line for what is new, and none before its time.
func TestBarInALog(t *testing.T) {
	for every, want := range map[time.Duration]string{0: "training: a\ntraining: b\n", time.Hour: ""} {
		var log bytes.Buffer
		bar := program.NewBar(&log, 10, every)
		for i, line := range []string{"a", "a", "b"} {
			bar.Say(line)
			bar.Set(int64(i), 12)
		}
		bar.Finish()
		if log.String() != want {
			t.Errorf("every %v: %q, want %q", every, log.String(), want)
		}
	}
}
