package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/internal/record"
)

// command is one of those that measure GoMLX on a device, of this program or of
// autoblm. They find the data by AUTOBLM_DATA.
type command struct {
	about, program string
	arguments      []string
	// file is what it writes. After a rehearsal it holds the text has and not lacks.
	file, has, lacks string
}

const (
	// limitMinutes is the most that a command takes.
	limitMinutes = 10
	// caseMinutes is when a command begins no other case, and searchMinutes when it
	// ends a search.
	caseMinutes, searchMinutes = "7", "8.5"
)

// commands measure all there is with the backend, the peer and the folder of the
// flags; small, as a rehearsal does.
func (f flags) commands() (all []command) {
	on := cmp.Or(f.Backend, backend.CUDA)
	batch, epochs, structures := largeBatch, 20, 256
	timing := []string{"--minutes", caseMinutes, "--repeat", "3"}
	if f.Small { // on a busy machine the threads of a small product mostly wait for each other
		batch, epochs, structures = smallBatch, 2, 20
		timing = []string{"--small", "--repeat", "1", "--threads", "1", "--ours", f.Ours}
	}
	for _, dataset := range deviceGraphs {
		for _, what := range []string{"step", "rank"} {
			c := command{about: what + "s on " + dataset + ", beside the peer", program: "bench", has: `"ours"`, lacks: "left_out"}
			c.file = filepath.Join(f.To, fmt.Sprintf("device-%s-%s.json", what, dataset))
			c.arguments = append([]string{"--backend", on, "--cases", "^" + what + "-" + dataset + "-", "--out", c.file}, timing...)
			if len(f.Peer) > 0 || what == "step" && len(f.StepPeer) > 0 {
				c.arguments, c.has = append(c.arguments, f.peerArguments()...), `"ratio"`
			}
			all = append(all, c)
		}
		for _, size := range []struct{ dim, members int }{{64, 8}, {1024, 2}} {
			if f.Small {
				size.dim = smallDim(size.dim)
			}
			for _, precision := range precisionsOn(on) {
				c := command{about: fmt.Sprintf("%s on %s, d %d: a step, and the MRR of %d seeds", precision.name, dataset, size.dim, size.members), program: "autoblm", has: `"members"`, lacks: `"error"`}
				c.file = filepath.Join(f.To, fmt.Sprintf("device-%s-%d-%s.json", dataset, size.dim, precision.name))
				c.arguments = fields("train --dataset %s --recipe n3 --validate-every 0 --members %d --dim %d --batch %d --epochs %d", dataset, size.members, size.dim, batch, epochs)
				c.arguments = append(append(c.arguments, precision.flags...), "--record", c.file)
				all = append(all, c)
			}
		}
	}
	search := command{about: "a whole search; to be run again until it is complete: its result.json is then device-search.json", program: "autoblm", has: `"stopped": "budget"`, lacks: `"error"`}
	folder := filepath.Join(f.To, "device-search")
	search.file = filepath.Join(folder, "result.json")
	search.arguments = append(fields("reproduce wn18rr --stage search --budget %d --minutes %s", structures, searchMinutes), "--backend", on, "--out", folder)
	return append(all, search)
}

func fields(format string, values ...any) []string {
	return strings.Fields(fmt.Sprintf(format, values...))
}

// precision is what products are computed in, and the flags for that.
type precision struct {
	name  string
	flags []string
}

// precisionsOn are those of a backend. TF32 is an option of XLA alone; the last of an
// option's values counts.
func precisionsOn(on string) []precision {
	half := precision{"bfloat16", []string{"--backend", on, "--precision", "bfloat16"}}
	if !strings.HasPrefix(on, "xla") {
		return []precision{{"float32", []string{"--backend", on, "--precision", "float32"}}, half}
	}
	return []precision{{"float32", []string{"--backend", on + ",tf32=false", "--precision", "float32"}}, {"TF32", []string{"--backend", on + ",tf32=true", "--precision", "float32"}}, half}
}

// peerArguments are those that name the peers.
func (f flags) peerArguments() (all []string) {
	for _, peer := range f.Peer {
		all = append(all, "--peer", peer)
	}
	for _, peer := range f.StepPeer {
		all = append(all, "--step-peer", peer)
	}
	return all
}

// plan prints the commands.
func (f flags) plan(w io.Writer) {
	rehearsal := []string{"--smoke", "--backend", cmp.Or(f.Backend, backend.CUDA)}
	rehearsal = append(rehearsal, f.peerArguments()...)
	fmt.Fprintf(w, `# Each command takes at most %d minutes. They need no Go, once the programs are built:
#     CGO_ENABLED=1 go build -o . ./autoblm/bench ./autoblm/cmd/autoblm
#     CGO_ENABLED=1 go test -c -o . ./autoblm/bench
# This rehearses them all without a GPU:
#     ./bench %s
export %s
`, limitMinutes, record.CommandLine(rehearsal...), record.CommandLine("AUTOBLM_DATA="+f.Data))
	for _, c := range f.commands() {
		fmt.Fprintf(w, "\n# %s\n./%s %s\n", c.about, c.program, record.CommandLine(c.arguments...))
	}
}
