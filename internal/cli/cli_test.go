package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestStatus(t *testing.T) {
	wrong := cli.Usage(errors.New("no such\nflag"))
	for want, err := range map[string]error{
		"0 ":                                    nil,
		"1 p: it\n":                             errors.New("it"),
		"2 p: no such; flag (see p q --help)\n": wrong,
		"2 p: but no such; flag (see p q --help)\n": fmt.Errorf("but %w", wrong),
	} {
		var stderr bytes.Buffer
		status := cli.Status(&stderr, "p", "p q", err)
		if got := fmt.Sprintf("%d %s", status, stderr.String()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if cli.Usage(nil) != nil {
		t.Error("no error became a mistake")
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutput(t *testing.T) {
	var stdout, recorded bytes.Buffer
	o := &cli.Output{Stdout: &cli.SafeWriter{W: &stdout}, JSON: true, Record: func(value any) error {
		_, err := fmt.Fprint(&recorded, value)
		return err
	}}
	if err := o.Result("<a>", func(io.Writer) { t.Error("text was asked for") }); err != nil ||
		stdout.String() != "\"<a>\"\n" || recorded.String() != "<a>" {
		t.Errorf("%v: %q, %q", err, stdout.String(), recorded.String())
	}
	o = &cli.Output{Stdout: &cli.SafeWriter{W: closed{}}}
	if err := o.Result(
		1, func(w io.Writer) { fmt.Fprintln(w, "1"); fmt.Fprintln(w, "2") },
	); err != nil || !errors.Is(o.Stdout.Err, io.ErrClosedPipe) {
		t.Errorf("%v, %v", err, o.Stdout.Err)
	}
}

// TestWarningsInJSON checks that warnings are the last field of a JSON object, also of its record.
func TestWarningsInJSON(t *testing.T) {
	for value, want := range map[any]string{
		struct {
			A string `json:"a"`
		}{"<&>"}: `{"a":"<&>","warnings":["b\nc"]}`,
		struct{}{}: `{"warnings":["b\nc"]}`,
		7:          "7",
	} {
		var stdout, recorded bytes.Buffer
		o := &cli.Output{
			Stdout: &cli.SafeWriter{W: &stdout}, JSON: true, Warnings: []string{"b\nc"},
			Record: func(value any) error {
				encoder := json.NewEncoder(&recorded)
				encoder.SetEscapeHTML(false)
				return encoder.Encode(value)
			},
		}
		if err := o.Result(value, nil); err != nil || stdout.String() != want+"\n" ||
			recorded.String() != want+"\n" {
			t.Errorf("%v: %q and %q, want %q", err, stdout.String(), recorded.String(), want)
		}
	}
}

// TestErrorsNameSavedFiles checks that errors name saved files if the result was not printed.
func TestErrorsNameSavedFiles(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/dev/full", Err: syscall.ENOSPC}
	for _, c := range []struct {
		printing, recording, own error
		json                     bool
		want                     string
	}{
		{nil, nil, nil, false, "<nil>"},
		{
			full, nil, nil, false,
			"cannot print the result: no space left on device; the model is in m and the study is s",
		},
		{
			full, nil, nil, true,
			"cannot print the result: no space left on device; the model is in m and the study is s",
		},
		{
			nil, io.ErrClosedPipe, nil, false,
			"cannot write the record: io: read/write on closed pipe; the model is in m and the study is s",
		},
		{nil, nil, errors.New("interrupted"), false, "interrupted"},
		{
			syscall.EPIPE, nil, errors.New("interrupted"), false,
			"interrupted\ncannot print the result: broken pipe; the model is in m and the study is s",
		},
	} {
		var stdout bytes.Buffer
		o := &cli.Output{
			Stdout: &cli.SafeWriter{W: &stdout}, JSON: c.json,
			Record: func(any) error { return c.recording },
		}
		if c.printing != nil {
			o.Stdout.W = failing{c.printing}
		}
		o.Saved("the model is in %s", "m")
		o.Saved("the study is s")
		err := o.End(errors.Join(o.Result(1, func(w io.Writer) { fmt.Fprintln(w, "1") }), c.own))
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		if c.printing == nil && stdout.String() != "1\n" {
			t.Errorf("%+v printed %q", c, stdout.String())
		}
	}
	o := &cli.Output{Stdout: &cli.SafeWriter{W: io.Discard}}
	o.Saved("the model is in m")
	if err := o.End(errors.New("cannot rank")); err.Error() != "cannot rank; the model is in m" {
		t.Errorf("before the result: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// leaving is a reader that closes the pipe after a line.
type leaving struct{}

func (leaving) Write(p []byte) (int, error) {
	return bytes.IndexByte(p, '\n') + 1, syscall.EPIPE
}

// TestClosedPipe checks that a pipe closed within the output gives no message.
func TestClosedPipe(t *testing.T) {
	for want, w := range map[string]io.Writer{
		"1 ": leaving{}, "1 p: cannot print the result: broken pipe\n": failing{syscall.EPIPE},
	} {
		o := &cli.Output{Stdout: &cli.SafeWriter{W: w}}
		err := o.End(o.Result(1, func(w io.Writer) { fmt.Fprintln(w, "1"); fmt.Fprintln(w, "2") }))
		var stderr bytes.Buffer
		status := cli.Status(&stderr, "p", "p q", err)
		if got := fmt.Sprintf("%d %s", status, stderr.String()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBarInLog checks the lines in a log.
func TestBarInLog(t *testing.T) {
	for every, want := range map[time.Duration]string{0: "training: a\ntraining: b\n", time.Hour: ""} {
		var log bytes.Buffer
		bar := cli.NewBar(&log, "training", 10, every)
		for i, line := range []string{"a", "a", "b"} {
			bar.Describe(line)
			bar.Set(int64(i), 12)
		}
		bar.Finish()
		if log.String() != want {
			t.Errorf("every %v: %q, want %q", every, log.String(), want)
		}
	}
}

// TestPaceAfterResume checks that work before an interrupt does not count for the pace.
func TestPaceAfterResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		bar := cli.NewBar(&log, "training", 100, time.Second)
		for _, done := range []int64{0, 0, 50, 60} {
			bar.Set(done, 0)
			time.Sleep(10 * time.Second)
		}
		bar.Describe("last epoch")
		bar.Finish()
		// 10 in 20 seconds, and 40 remain
		if want := "last epoch, about 80 s left\n"; !strings.HasSuffix(log.String(), want) {
			t.Errorf("%q, want %q", log.String(), want)
		}
	})
}
