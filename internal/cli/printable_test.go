package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/require"
)

const obeyed = "\x1b[31m\x07\x7f\u009b\u202e\u2069\r"

const shown = `\x1b[31m\a\u007f\u009b\u202e\u2069\r`

// TestControlCharactersAreEscaped checks all output but drawings.
func TestControlCharactersAreEscaped(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		o := &cli.Output{Stdout: &cli.SafeWriter{W: &stdout}, Stderr: &stderr, JSON: asJSON}
		err := o.Result(obeyed, func(w io.Writer) {
			drawing := o.Drawing(func(bool) string { return "\x1b[0m1\n" })
			fmt.Fprintf(w, "%s\n%s%s\x1b[0m2%[2]s", obeyed, drawing, obeyed)
		})
		require.NoError(t, err)
		if got, want := stdout.String(), shown+"\n\x1b[0m1\n"+shown+`\x1b[0m2`+"\x1b[0m1\n"; !asJSON &&
			got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		var back string
		if asJSON &&
			(strings.ContainsAny(
				stdout.String(), obeyed[:1]+"\x7f\u009b\u202e",
			) || json.Unmarshal(stdout.Bytes(), &back) != nil || back != obeyed) {
			t.Errorf("the JSON is %q, which is %q", stdout.String(), back)
		}
		o.Message("it is %s", obeyed)
		cli.Status(&stderr, "p", "p", errors.New("no "+obeyed))
		bar := cli.NewBar(&stderr, "training", 1, 0)
		bar.Describe(obeyed)
		bar.Finish()
		if got, want := stderr.String(), "it is "+shown+"\np: no "+shown+"\ntraining: "+shown+"\n"; got != want {
			t.Errorf("messages: got %q, want %q", got, want)
		}
	}
}
