package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Contents is what a study file held when it was read.
type Contents struct {
	// About has the budget and the source of the last run. Where there is a Plan, its settings
	// are by that, and Asked has those that were asked for, with the time.
	About, Asked About
	Plan         *search.Plan
	// Trials and Rounds are in the order of their numbers.
	Trials []task.Trial
	Rounds []search.Round
	// Best is what the best trial has left, nil when there is nothing yet.
	Best task.Files
}

// Read reads a study, whatever it is about, and leaves the file as it is. It
// fails like [Open], and where there is no study.
func Read(path string) (*Contents, error) {
	own.Lock()
	defer own.Unlock()
	if isOwn(path) {
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

// readCopy reads a copy of a study whose process was killed while it wrote. SQLite has to
// roll back the unfinished change, and does so in the copy.
func readCopy(path string) (*Contents, error) {
	failed := func(err error) (*Contents, error) {
		return nil, fmt.Errorf("cannot make the copy of the study %s that is needed to read it: %w", path, err)
	}
	folder, err := os.MkdirTemp("", "autoblm-study-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(folder)
	original, err := filepath.EvalSymlinks(path) // the journal lies beside the file itself
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

// readDatabase reads the study of a path out of a file, which may be a copy that can be
// changed.
func readDatabase(path, file, mode string) (c *Contents, err error) {
	db, err := openDatabase(file, mode)
	s := &Study{db: db, path: path}
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// One transaction, so that all of it is of one moment.
	if _, err := db.Exec("BEGIN"); err != nil {
		return nil, s.explain("read", err)
	}
	tables, err := s.tables()
	if err != nil {
		return nil, err
	}
	if tables == 0 {
		return nil, neverBegun(path)
	}
	if err := s.checkWhole(); err != nil {
		return nil, err
	}
	c = &Contents{}
	if c.About, err = s.about(); err != nil {
		return nil, err
	}
	if c.Trials, err = s.Trials(); err != nil {
		return nil, err
	}
	if c.Rounds, err = s.Rounds(); err != nil {
		return nil, err
	}
	if c.Plan, err = s.Plan(); err != nil {
		return nil, err
	}
	c.Asked = c.About
	if c.Plan != nil {
		c.Asked.Settings.TimeLimit = c.Plan.Limit
		c.About.Settings = c.Plan.Apply(c.About.Settings)
	}
	c.Best, err = s.files()
	return c, err
}

func neverBegun(path string) error {
	return fmt.Errorf("the study %s is empty: its search ended before it began", path)
}

func (s *Study) about() (About, error) {
	description, source, budget, err := s.description()
	if err != nil {
		return About{}, err
	}
	var a About
	if err := json.Unmarshal([]byte(description), &a); err != nil {
		return About{}, damaged(s.path, err)
	}
	a.Source, a.Settings.Budget = source, budget
	return a, nil
}
