//go:build linux

// Command attack tries to make autoblm lose something, for as long as one lets it:
//
//	go run ./internal/attack --for 30m --seed 7
//
// It is run in the checkout and has four parts, each with a goal that ends it:
//
//   - kills: searches, trainings and whatever else writes are killed at random moments
//     and begun again by the same command. What is on disk is whole or absent after each
//     kill, and the end is that of a run left alone, to the bit.
//   - disks: the same commands on disks that become full, with limits on the size of files,
//     and with an output that nothing can be written to. They fail in one line and leave what
//     was there, and go on when there is room.
//   - inputs: files of every kind that is read, mutated, go to the readers. Nothing panics,
//     hangs or takes memory out of proportion, errors name the file in one line, and what is
//     accepted is consistent.
//   - commands: mutated command lines, with mutated files, go through the program. It ends
//     with status 0, 1 or 2, and with one line for an error.
//
// Findings go into a folder each, with what repeats them, and make the exit status 1. The
// counts are kept too, so that the same command goes on where it ended, up to its goals.
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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/format"
)

type flags struct {
	For      time.Duration `help:"End after so long, as 30m; each part has its share. Without it, the goals end it."`
	Seed     uint64        `default:"1" help:"Decides what is tried."`
	Only     []string      `enum:"kills,disks,inputs,commands" help:"Some of the parts: kills, disks, inputs, commands."`
	Kills    int           `default:"1000" help:"The goal of the part kills."`
	Disks    int           `default:"64" help:"The goal of the part disks."`
	Inputs   int           `default:"1000000" help:"The goal of the part inputs."`
	Commands int           `default:"10000" help:"The goal of the part commands."`
	Workers  int           `default:"0" help:"How many things to try at a time; 0 for one on each core."`
	Autoblm  string        `placeholder:"FILE" help:"The program to attack; it is built when left out."`
	Out      string        `default:"attack-out" help:"The folder for findings and counts; the same command goes on from these."`
	Again    string        `placeholder:"PART:NUMBER" help:"Try one case of a part again, as a finding says it, and nothing else."`
}

func main() {
	if task := os.Getenv(workerVariable); task != "" {
		os.Exit(workerMain(task))
	}
	var f flags
	kong.Parse(&f, kong.Name("attack"), kong.Description("Kills, fills disks, mutates and compares, for as long as one lets it."))
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

// run attacks, and returns how many findings there are.
func (f flags) run(ctx context.Context, w io.Writer) (findings int, err error) {
	root, err := checkout()
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp(inMemory(), "attack-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	if f.Autoblm == "" {
		f.Autoblm = filepath.Join(work, "autoblm")
		build := exec.CommandContext(ctx, "go", "build", "-o", f.Autoblm, "./autoblm/cmd/autoblm")
		build.Dir = root
		if said, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("cannot build the program: %w: %s", err, said)
		}
	}
	if f.Autoblm, err = filepath.Abs(f.Autoblm); err != nil {
		return 0, err
	}
	k, err := openKept(f.Out, f.Seed)
	if err != nil {
		return 0, err
	}
	base, err := newBase(ctx, attacked{f.Autoblm}, filepath.Join(root, "autoblm", "cmd", "autoblm", "testdata", "frozen"), filepath.Join(work, "base"))
	if err != nil {
		return 0, err
	}
	h := &harness{seed: f.Seed, work: work, base: base, program: attacked{f.Autoblm}, kept: k, scenarios: scenarios}
	parts := []*part{
		{name: "kills", goal: f.Kills, try: h.pursue},
		{name: "disks", goal: f.Disks, try: h.fill},
		{name: "inputs", goal: f.Inputs, try: h.feed},
		{name: "commands", goal: f.Commands, try: h.invoke},
	}
	if f.Again != "" {
		found, err := h.again(ctx, parts, f.Again)
		if err == nil {
			fmt.Fprintf(w, "%s: %s\n", f.Again, format.Count(found, "finding"))
		}
		return found, err
	}
	parts = slices.DeleteFunc(parts, func(p *part) bool { return len(f.Only) > 0 && !slices.Contains(f.Only, p.name) })
	err = h.attack(ctx, parts, f.For, f.Workers, func(line string) { fmt.Fprintln(w, line) })
	fmt.Fprintln(w, k.line())
	if errors.Is(err, context.Canceled) {
		err = nil // whoever stops it wants its last line
	}
	return k.Findings, err
}

// checkout is the root of the module's source, here or above.
func checkout() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/autoblm/autoblm-go\n") {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("run it in the checkout, whose test data it takes")
		}
		folder = above
	}
}

// inMemory is a folder in memory, "" where there is none: nothing here is worth a disk.
func inMemory() string {
	const folder = "/dev/shm"
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		return folder
	}
	return ""
}
