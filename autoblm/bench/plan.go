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

// command is a command of this program or of autoblm that measures GoMLX on a device. It finds the
// data with AUTOBLM_DATA.
type command struct {
	about, program string
	arguments      []string
	// file is its output. After a rehearsal, it contains has and does not contain lacks.
	file, has, lacks string
}

const (
	// limitMinutes is the longest time of a command.
	limitMinutes = 10
	// After caseMinutes, a command begins no other case. After searchMinutes, it ends a search.
	caseMinutes, searchMinutes = "7", "8.5"
)

// commands returns the commands of the plan, in the smallest shapes for a rehearsal.
func (f flags) commands() (all []command) {
	on := cmp.Or(f.Backend, backend.CUDA)
	batch, epochs, structures := largeBatch, 20, 256
	timing := []string{"--minutes", caseMinutes, "--repeat", "3"}
	if f.Small { // one thread, because threads of small products mostly wait for each other
		batch, epochs, structures = smallBatch, 2, 20
		timing = []string{"--small", "--repeat", "1", "--threads", "1", "--ours", f.Ours}
	}
	for _, dataset := range deviceGraphs {
		for _, what := range []string{"step", "rank"} {
			c := command{
				about:   what + "s on " + dataset + ", with peers",
				program: "bench",
				file:    filepath.Join(f.To, fmt.Sprintf("device-%s-%s.json", what, dataset)),
				has:     `"seconds"`,
				lacks:   "left_out",
			}
			c.arguments = append([]string{
				"--backend", on, "--cases", "^" + what + "-" + dataset + "-", "--out", c.file,
			}, timing...)
			if len(f.Peer) > 0 || what == "step" && len(f.StepPeer) > 0 {
				c.arguments, c.has = append(c.arguments, f.peerArguments()...), `"ratio"`
			}
			all = append(all, c)
		}
		for _, size := range []struct{ dim, members int }{{64, 8}, {1024, 2}} {
			if f.Small {
				size.dim = smallDim(size.dim)
			}
			for _, precision := range precisionsFor(on) {
				file := fmt.Sprintf("device-%s-%d-%s.json", dataset, size.dim, precision.name)
				c := command{
					about: fmt.Sprintf("%s on %s, d %d: a step, and the MRR of %d seeds",
						precision.name, dataset, size.dim, size.members),
					program: "autoblm",
					file:    filepath.Join(f.To, file),
					has:     `"members"`,
					lacks:   `"error"`,
				}
				c.arguments = fields("train --dataset %s --recipe n3 --validate-every 0 "+
					"--members %d --dim %d --batch %d --epochs %d",
					dataset, size.members, size.dim, batch, epochs)
				c.arguments = append(append(c.arguments, precision.flags...), "--record", c.file)
				all = append(all, c)
			}
		}
	}
	folder := filepath.Join(f.To, "device-search")
	search := command{
		about: "a whole search; repeat it until it is complete, " +
			"and copy its result.json to device-search.json",
		program: "autoblm",
		file:    filepath.Join(folder, "result.json"),
		has:     `"stopped": "budget"`,
		lacks:   `"error"`,
	}
	search.arguments = fields("reproduce wn18rr --stage search --budget %d --minutes %s",
		structures, searchMinutes)
	search.arguments = append(search.arguments, "--backend", on, "--out", folder)
	return append(all, search)
}

func fields(format string, values ...any) []string {
	return strings.Fields(fmt.Sprintf(format, values...))
}

// precision is a precision of products and its flags.
type precision struct {
	name  string
	flags []string
}

// precisionsFor returns the precisions of a backend. Only XLA has TF32. The last value of an option
// counts.
func precisionsFor(on string) []precision {
	half := precision{"bfloat16", []string{"--backend", on, "--precision", "bfloat16"}}
	if !strings.HasPrefix(on, "xla") {
		return []precision{{"float32", []string{"--backend", on, "--precision", "float32"}}, half}
	}
	return []precision{
		{"float32", []string{"--backend", on + ",tf32=false", "--precision", "float32"}},
		{"TF32", []string{"--backend", on + ",tf32=true", "--precision", "float32"}},
		half,
	}
}

// peerArguments returns the flags for the peers.
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
	const introduction = `# Each command takes at most %d minutes. They need these programs, but no Go:
#     CGO_ENABLED=1 go build -o . ./autoblm/bench ./autoblm/cmd/autoblm
#     CGO_ENABLED=1 go test -c -o . ./autoblm/bench
# This rehearses all of them without a GPU:
#     ./bench %s
export %s
`
	fmt.Fprintf(w, introduction, limitMinutes, record.CommandLine(rehearsal...),
		record.CommandLine("AUTOBLM_DATA="+f.Data))
	for _, c := range f.commands() {
		fmt.Fprintf(w, "\n# %s\n./%s %s\n", c.about, c.program, record.CommandLine(c.arguments...))
	}
}
