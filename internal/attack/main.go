//go:build linux

// Command attack tries to make autoblm lose data:
//
//	go run ./internal/attack --kills 5000 --seed 7
//
// Run it in the root of the checkout. It has three parts, and each ends at a goal:
//
//   - kills: it kills commands that write, at random moments, and runs them again. After each
//     kill every file is complete or absent. The final files equal those of an undisturbed run.
//   - disks: it runs the same commands on full disks, with limits on file sizes, and with an
//     output that accepts nothing. They fail with a one-line error, keep older files, and
//     resume when there is room.
//   - clusters: it searches with a server, three workers and a coordinator, kills these processes at
//     random moments and starts them again. The study and the model equal those of one machine, and
//     no trial is trained to its end more than twice.
//
// Mutated inputs are the subject of the fuzz targets in the packages that read them.
//
// Each finding gets a folder with its files and the commands that ran. The exit status is 1 if
// there are findings.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/format"
)

type flags struct {
	Seed     uint64 `default:"1" help:"Seed of all random choices."`
	Kills    int64  `default:"1000" help:"Number of kills; 0 skips them."`
	Disks    int64  `default:"64" help:"Number of runs without room; 0 skips them."`
	Clusters int64  `default:"100" help:"Number of searches on a cluster; 0 skips them."`
	Out      string `default:"attack-out" help:"Folder for findings."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("attack"),
		kong.Description("Kills commands, fills disks and compares the results."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	found, err := f.run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", format.OneLine(err))
	}
	if err != nil || found > 0 {
		os.Exit(1)
	}
}

// run runs the attack and returns the number of findings.
func (f flags) run(ctx context.Context, w io.Writer) (found int, err error) {
	text, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(text), "module github.com/autoblm/autoblm-go\n") {
		return 0, errors.New("no go.mod of AutoBLM-Go here: run attack in the checkout's root")
	}
	work, err := os.MkdirTemp("/dev/shm", "attack-") // in memory
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	p, err := buildProgram(ctx, work)
	if err != nil {
		return 0, err
	}
	data := filepath.Join("autoblm", "cmd", "autoblm", "testdata", "frozen", "data")
	b, err := newBase(ctx, p, data, filepath.Join(work, "base"))
	if err != nil {
		return 0, err
	}
	h := &harness{
		seed: f.Seed, work: work, base: b, program: p, scenarios: scenarios,
		findings: findings{folder: f.Out},
	}
	kills := &part{name: "kills", goal: f.Kills, run: h.kill}
	disks := &part{name: "disks", goal: f.Disks, run: h.fill}
	clusters := &part{name: "clusters", goal: f.Clusters, run: h.attackCluster}
	began := time.Now()
	err = attack(ctx, []*part{kills, disks, clusters})
	fmt.Fprintf(w, "attack: %d kills, %d full disks, %d clusters, %s, %.0f min, seed %d\n",
		kills.done.Load(), disks.done.Load(), clusters.done.Load(),
		format.Count(h.findings.count, "finding"), time.Since(began).Minutes(), f.Seed)
	if errors.Is(err, context.Canceled) {
		err = nil // an interrupted attack ends with its summary
	}
	return h.findings.count, err
}

// buildProgram builds autoblm in a folder.
func buildProgram(ctx context.Context, folder string) (program, error) {
	path := filepath.Join(folder, "autoblm")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./autoblm/cmd/autoblm")
	if output, err := build.CombinedOutput(); err != nil {
		return program{}, fmt.Errorf("cannot build the program: %w: %s", err, output)
	}
	return program{path}, nil
}
