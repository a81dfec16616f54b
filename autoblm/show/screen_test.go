package show

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// notebook records what is sent to a notebook. It goes through gob, as on its way to the kernel.
type notebook struct {
	t        *testing.T
	sent     []protocol.DisplayData
	synced   int // number of outputs at the last sync
	problems strings.Builder
	status   int
}

func openNotebook(t *testing.T) *notebook {
	n := &notebook{t: t}
	put(t, screen{
		notebook: true, send: n.receive, sync: func() { n.synced = len(n.sent) },
		text: io.Discard, problems: &n.problems, exit: func(status int) { n.status = status },
	})
	return n
}

func (n *notebook) receive(data *protocol.DisplayData) {
	var pipe bytes.Buffer
	if err := gob.NewEncoder(&pipe).Encode(data); err != nil {
		n.t.Fatal(err)
	}
	var received protocol.DisplayData
	if err := gob.NewDecoder(&pipe).Decode(&received); err != nil {
		n.t.Fatal(err)
	}
	n.sent = append(n.sent, received)
}

// only returns the single output.
func (n *notebook) only() protocol.DisplayData {
	n.t.Helper()
	if len(n.sent) != 1 {
		n.t.Fatalf("%d outputs, want 1", len(n.sent))
	}
	if n.synced != 1 {
		n.t.Error("the output is not synced")
	}
	return n.sent[0]
}

// terminal replaces the screen by a text during the test.
func terminal(t *testing.T) *strings.Builder {
	var text strings.Builder
	put(t, screen{
		send: func(*protocol.DisplayData) { t.Error("output for a notebook outside of one") },
		text: &text,
	})
	return &text
}

func put(t *testing.T, s screen) {
	before := here
	here = s
	t.Cleanup(func() { here = before })
}

func TestCheck(t *testing.T) {
	n := openNotebook(t)
	Check(nil)
	if n.status != 0 || n.problems.Len() > 0 {
		t.Errorf("no error ends with status %d and %q", n.status, n.problems.String())
	}
	if got := Must(7, nil); got != 7 {
		t.Errorf("Must returns %d", got)
	}
	Must(7, errors.New("no such graph"))
	if n.status != 1 || n.problems.String() != "no such graph\n" {
		t.Errorf("status %d, %q", n.status, n.problems.String())
	}
}

func TestFull(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv("AUTOBLM_FULL", value)
		if Full() != want {
			t.Errorf("AUTOBLM_FULL=%q: %v", value, Full())
		}
	}
}
