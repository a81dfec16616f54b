package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Contents holds the contents of a study file.
type Contents struct {
	// Asked has the settings as resolved at the start. About has them as changed by the Plan, if
	// there is one. Both have the budget, the source and the command of the last run.
	About, Asked About
	Plan         *search.Plan
	// Trials and Rounds are sorted by number.
	Trials []task.Trial
	Rounds []search.Round
	// Best holds the files of the best model, nil if there is none yet.
	Best task.Files
}

// Read reads a study of any search and leaves the file unchanged. It fails like [Open], and for
// an empty file.
func Read(path string) (*Contents, error) {
	openStudies.Lock()
	defer openStudies.Unlock()
	if openStudies.has(path) {
		return nil, inUse(path, os.Getpid())
	}
	h, err := readHeader(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no study %s", path)
	case err != nil:
		return nil, fmt.Errorf("cannot read the study: %w", err)
	case h.empty:
		return nil, neverBegun(path)
	}
	if err := h.check(path); err != nil {
		return nil, err
	}
	contents, err := readDatabase(path, path, "ro")
	if errors.Is(err, errUnfinished) {
		return readCopy(path)
	}
	return contents, err
}

// readCopy reads a copy of a study whose process was killed during a change. SQLite rolls the
// change back in the copy.
func readCopy(path string) (*Contents, error) {
	failed := func(err error) (*Contents, error) {
		return nil, fmt.Errorf("cannot copy the study %s to read it: %w", path, err)
	}
	folder, err := os.MkdirTemp("", "autoblm-study-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(folder)
	original, err := filepath.EvalSymlinks(path) // the journal is next to the file itself
	if err != nil {
		return failed(err)
	}
	duplicate := filepath.Join(folder, "study.db")
	for _, suffix := range []string{"", "-journal"} {
		content, err := os.ReadFile(original + suffix)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return failed(err)
		}
		if err := os.WriteFile(duplicate+suffix, content, 0o600); err != nil {
			return failed(err)
		}
	}
	return readDatabase(path, duplicate, "rw")
}

// readDatabase reads the study of a path from a file, which may be a copy.
func readDatabase(path, file, mode string) (c *Contents, err error) {
	d, err := openDatabase(path, file, mode)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.db.Close()) }()
	// One transaction gives one consistent state.
	if _, err := d.db.Exec("BEGIN"); err != nil {
		return nil, d.explain("read", err)
	}
	empty, err := d.isEmpty()
	if err != nil {
		return nil, err
	}
	if empty {
		return nil, neverBegun(path)
	}
	if err := d.checkPages(); err != nil {
		return nil, err
	}
	c = &Contents{}
	r, err := d.readRow()
	if err != nil {
		return nil, err
	}
	if c.About, err = r.about(); err != nil {
		return nil, damaged(path, err)
	}
	if c.Trials, err = d.Trials(); err != nil {
		return nil, err
	}
	if c.Rounds, err = d.Rounds(); err != nil {
		return nil, err
	}
	if c.Plan, err = d.Plan(); err != nil {
		return nil, err
	}
	c.Asked = c.About
	if c.Plan != nil {
		c.Asked.Settings.TimeLimit = c.Plan.Limit
		c.About.Settings = c.Plan.Apply(c.About.Settings)
	}
	c.Best, err = d.files(best)
	return c, err
}

func neverBegun(path string) error {
	return fmt.Errorf("the study %s is empty: its search ended before it began", path)
}
