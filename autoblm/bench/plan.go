package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
)

// command is one of those that measure all.
type command struct {
	about string
	flags
}

const (
	// limitMinutes is the most that a command takes.
	limitMinutes = 10
	// caseMinutes is when a command begins no other case, and searchMinutes when it
	// begins no other round of a search, which is shorter.
	caseMinutes   = 7
	searchMinutes = 8.5
	// turns are how often a case is timed.
	turns = 3
)

// commands measure the whole suite of GoMLX with the backend, the data and the peer
// of the flags. The last one goes on with the search; in a rehearsal the one before
// stops as soon as it can.
func (f flags) commands() []command {
	base := usualFlags()
	base.Backend, base.Data, base.Small, base.Minutes = cmp.Or(f.Backend, backend.CUDA), f.Data, f.Small, caseMinutes
	if f.Small { // on a busy machine the threads of a small product mostly wait for each other
		base.Threads = 1
	}
	var all []command
	add := func(about, name string, c flags) {
		c.Out = filepath.Join(f.To, name+".json")
		all = append(all, command{about, c})
	}
	for _, dataset := range deviceGraphs {
		c := base
		c.Peer, c.Cases, c.Repeat = f.Peer, []string{"step-" + dataset + "-*", "rank-" + dataset + "-*"}, turns
		if f.Small {
			c.Repeat = 1
		}
		add("training steps and ranking on "+dataset+", beside the peer", "device-"+dataset, c)
	}
	c := base
	c.Cases = []string{"precision-*"}
	add("float32, TF32 and bfloat16: steps and MRR", "device-precision", c)
	c.Cases, c.Study, c.Minutes = []string{"search-*"}, filepath.Join(f.To, "device-search.db"), searchMinutes
	first := c
	if f.Small {
		first.Minutes = 1e-6
	}
	add("a whole search", "device-search", first)
	add("the same search goes on, as often as it is not done; its study must be kept until then", "device-search", c)
	return all
}

// plan prints the commands.
func (f flags) plan(w io.Writer) {
	program := invocation()
	if strings.HasPrefix(program, "go ") {
		program = "./bench"
	}
	rehearsal := usualFlags()
	rehearsal.Backend, rehearsal.Data, rehearsal.Peer = f.Backend, f.Data, f.Peer
	fmt.Fprintf(w, "# Each command takes at most %d minutes. They need no Go, once the program is built:\n#     CGO_ENABLED=1 go build -o bench ./autoblm/bench\n", limitMinutes)
	fmt.Fprintf(w, "# This rehearses them all without a GPU:\n#     %s\n", commandLine(program, append([]string{"--smoke"}, rehearsal.arguments()...)))
	for _, c := range f.commands() {
		fmt.Fprintf(w, "\n# %s\n%s\n", c.about, commandLine(program, c.arguments()))
	}
}
