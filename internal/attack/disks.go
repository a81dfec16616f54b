//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"

	"github.com/autoblm/autoblm-go/internal/cli"
	"golang.org/x/sys/unix"
)

// fill runs a scenario without room for a file, on the disk, or for its printed output. In every
// second case the output exists before.
func (h *harness) fill(ctx context.Context, number int) (int, error) {
	s := h.scenarios[number%len(h.scenarios)]
	ref, err := h.reference(ctx, s)
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp(h.work, "disk-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	rng := h.rng("disks", number)
	shortages := []func(context.Context, *attempt, int64) error{
		limitFileSize, fullDisk, fullOutput, closedOutput,
	}
	const onFullDisk = 1
	kind := rng.IntN(len(shortages))
	limit := ref.largest
	if kind == onFullDisk {
		if unix.Mount("tmpfs", folder, "tmpfs", 0, "size=1g") == nil {
			defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
			limit = ref.total + ref.total/8
		} else { // without permission to mount
			kind = 0
		}
	}
	a := &attempt{h: h, part: "disks", number: number, scenario: s, reference: ref, folder: folder}
	if err = h.base.copy(folder); err == nil {
		err = a.fill(ctx, shortages[kind], limit, rng)
	}
	return 1, err
}

// fill runs the scenario with a shortage of room and then completes it.
func (a *attempt) fill(
	ctx context.Context, shortage func(context.Context, *attempt, int64) error, limit int64,
	rng *rand.Rand,
) error {
	existing := rng.IntN(2) == 0 && a.scenario.refusal == ""
	if existing {
		if err := a.complete(ctx); err != nil || a.found {
			return err
		}
	}
	if err := shortage(ctx, a, rng.Int64N(max(1, limit))); err != nil || a.found {
		return err
	}
	if a.report(torn(a.folder, a.scenario, a.reference)) {
		return a.err
	}
	if existing {
		got, err := readOutcome(a.folder, a.scenario, nil)
		if err != nil {
			a.report(err.Error())
			return a.err
		}
		for name := range a.reference.outcome {
			if _, exists := got[name]; !exists && name != printed {
				a.report(name + " existed before and is missing")
			}
		}
	}
	if a.found {
		return a.err
	}
	return a.complete(ctx)
}

// limitFileSize limits the size of every file.
func limitFileSize(ctx context.Context, a *attempt, size int64) error {
	return a.runWithoutRoom(ctx, invocation{fileSize: uint64(max(1, size))})
}

// fullDisk runs with free bytes on the disk.
func fullDisk(ctx context.Context, a *attempt, free int64) error {
	var disk unix.Statfs_t
	if err := unix.Statfs(a.folder, &disk); err != nil {
		return err
	}
	used := int64(disk.Blocks-disk.Bfree) * disk.Bsize
	resize := func(option string) error {
		return unix.Mount("", a.folder, "", unix.MS_REMOUNT, option)
	}
	if err := resize(fmt.Sprintf("size=%d", used+free)); err != nil {
		return fmt.Errorf("cannot make the disk smaller: %w", err)
	}
	err := a.runWithoutRoom(ctx, invocation{})
	if failed := resize("size=1g"); failed != nil && err == nil {
		err = fmt.Errorf("cannot make the disk larger: %w", failed)
	}
	return err
}

// runWithoutRoom runs the scenario, which may complete or fail with an error message.
func (a *attempt) runWithoutRoom(ctx context.Context, i invocation) error {
	r, err := a.run(ctx, i)
	if err != nil {
		return err
	}
	problem := r.misbehavior()
	if problem == "" && r.status != cli.Done && r.status != cli.Failed {
		problem = "it ended without an error message: " + r.String()
	}
	a.report(problem)
	return nil
}

// fullOutput runs with a standard output that has no room.
func fullOutput(ctx context.Context, a *attempt, _ int64) error {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer device.Close()
	return a.runWithOutput(ctx, device)
}

// closedOutput runs with a standard output that nobody reads.
func closedOutput(ctx context.Context, a *attempt, _ int64) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		return err
	}
	return a.runWithOutput(ctx, w)
}

// runWithOutput runs with an output that fails: the run fails, and its files are complete.
func (a *attempt) runWithOutput(ctx context.Context, stdout *os.File) error {
	r, err := a.run(ctx, invocation{stdout: stdout})
	if err != nil {
		return err
	}
	problem := r.misbehavior()
	if problem == "" && r.status != cli.Failed && r.signal != syscall.SIGPIPE {
		problem = "the output failed, and the run did not fail: " + r.String()
	}
	if a.report(problem) {
		return a.err
	}
	return a.compare(nil)
}
