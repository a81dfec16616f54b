//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/autoblm/autoblm-go/internal/cli"
	"golang.org/x/sys/unix"
)

// fill runs a scenario where there is no room: for a file, on the disk, or for what it
// prints. Every second time, all that it makes is there already.
func (h *harness) fill(ctx context.Context, number int) (int, error) {
	s := h.scenarios[number%len(h.scenarios)]
	r, err := h.reference(ctx, s)
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp(h.work, "disk-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	rng := h.rng("disks", number)
	ways := []func(context.Context, *attackCase, int64) error{limited, full, unprintable, unread}
	way := rng.IntN(len(ways))
	mounted := false
	if way == 1 {
		mounted = unix.Mount("tmpfs", folder, "tmpfs", 0, "size=1g") == nil
		if !mounted { // whoever may not mount has a limit on the size of files
			way = 0
		}
	}
	if mounted {
		defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
	}
	if err := h.base.copy(folder); err != nil {
		return 0, err
	}
	c := &attackCase{h: h, part: "disks", number: number, scenario: s, reference: r, folder: folder}
	before := rng.IntN(2) == 0 && s.refusal == ""
	if before {
		if err := c.end(ctx); err != nil || c.found {
			return 1, err
		}
	}
	most := r.size
	if way == 1 {
		most = r.total + r.total/8
	}
	if err := ways[way](ctx, c, rng.Int64N(max(1, most))); err != nil || c.found {
		return 1, err
	}
	if c.finds(torn(folder, s, r)) {
		return 1, c.err
	}
	if before {
		got, err := outcomeOf(folder, s, nil)
		if err != nil {
			c.finds(err.Error())
			return 1, c.err
		}
		for name := range r.outcome {
			if _, there := got[name]; !there && name != printed {
				c.finds(name + " was there before, and is not any more")
			}
		}
	}
	if c.found {
		return 1, c.err
	}
	return 1, c.end(ctx)
}

// limited lets no file become larger than so many bytes.
func limited(ctx context.Context, c *attackCase, size int64) error {
	e, err := c.run(ctx, trial{fileSize: uint64(max(1, size))})
	if err == nil {
		c.finds(c.noRoom(e))
	}
	return err
}

// full leaves so many bytes on the disk.
func full(ctx context.Context, c *attackCase, size int64) error {
	var now unix.Statfs_t
	if err := unix.Statfs(c.folder, &now); err != nil {
		return err
	}
	used := int64(now.Blocks-now.Bfree) * now.Bsize
	if err := unix.Mount("", c.folder, "", unix.MS_REMOUNT, fmt.Sprintf("size=%d", used+size)); err != nil {
		return fmt.Errorf("cannot make the disk smaller: %w", err)
	}
	e, err := c.run(ctx, trial{})
	if err == nil {
		c.finds(c.noRoom(e))
	}
	if grown := unix.Mount("", c.folder, "", unix.MS_REMOUNT, "size=1g"); grown != nil && err == nil {
		err = fmt.Errorf("cannot make the disk larger: %w", grown)
	}
	return err
}

// noRoom says what is wrong with how a run without room ended.
func (c *attackCase) noRoom(e ended) string {
	if wrong := e.misbehaviour(); wrong != "" {
		return wrong
	}
	if e.status != cli.Done && e.status != cli.Failed {
		return "it ended in another way than by an error: " + e.String()
	}
	return ""
}

// unprintable gives it an output that takes nothing.
func unprintable(ctx context.Context, c *attackCase, _ int64) error {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer device.Close()
	return c.unheard(ctx, device)
}

// unread gives it an output that nobody reads.
func unread(ctx context.Context, c *attackCase, _ int64) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		return err
	}
	return c.unheard(ctx, w)
}

// unheard runs it with such an output: it fails, and its files are there.
func (c *attackCase) unheard(ctx context.Context, stdout *os.File) error {
	e, err := c.run(ctx, trial{stdout: stdout})
	if err != nil {
		return err
	}
	wrong := e.misbehaviour()
	if wrong == "" && e.status != cli.Failed && e.signal != syscall.SIGPIPE {
		wrong = "nobody heard it, and it did not fail: " + e.String()
	}
	if c.finds(wrong) {
		return c.err
	}
	got, err := outcomeOf(c.folder, c.scenario, []byte{})
	if err != nil {
		return err
	}
	if differ := got.difference(c.reference.outcome, c.reference.unheard()); differ != "" {
		c.finds("what could not be printed is lost: " + differ)
	}
	return c.err
}
