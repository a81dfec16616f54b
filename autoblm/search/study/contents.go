package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// Contents holds the contents of a study file.
type Contents struct {
	// Asked has the settings as resolved at the start. About has them as changed by the Plan, if
	// there is one. Both have the budget, the time limit, the source and the command of
	// the last run.
	About, Asked About
	Plan         *search.Plan
	// Trials and Rounds are sorted by number.
	Trials []task.Trial
	Rounds []search.Round
	// Best holds the files of the best model, nil if there is none yet.
	Best task.Files
	// InUse describes the process that searches with the study, or is nil.
	InUse *InUseError
}

// Read reads a study of any search and leaves the file unchanged, also while another process
// searches with it. It fails like [Open], and for an empty file.
func Read(path string) (c *Contents, err error) {
	err = view(path, wholly, func(d database) error {
		c, err = d.contents("")
		return err
	})
	return c, err
}

// Peek reads a study like [Read], fast enough to be repeated while a search runs. Best has only the
// description of the model, the pages of the file are not checked, and a change in progress gives
// an [InUseError] soon.
func Peek(path string) (c *Contents, err error) {
	err = view(path, quickly, func(d database) error {
		c, err = d.contents(modelfolder.Description)
		return err
	})
	return c, err
}

// Trials yields the trials of a study by number. It reads them without the models, and closes the
// file before the first one. If it fails, as [Read] does, it yields only the error.
func Trials(path string) iter.Seq2[task.Trial, error] {
	return func(yield func(task.Trial, error) bool) {
		var trials []task.Trial
		err := view(path, wholly, func(d database) (err error) {
			trials, err = d.Trials()
			return err
		})
		if err != nil {
			yield(task.Trial{}, err)
			return
		}
		for _, t := range trials {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// care says how a study is read: after a check of all pages and with patience, or not.
type care bool

const (
	wholly  care = true
	quickly care = false
)

// view calls read with the database of a study, in one consistent state. Other studies can be read
// meanwhile.
func view(path string, how care, read func(database) error) error {
	return usedFiles.read(path, func() error {
		h, err := readHeader(path)
		switch {
		case err != nil:
			return explainRead(path, err)
		case h.empty:
			return neverBegun(path)
		}
		if err := h.check(path); err != nil {
			return err
		}
		err = viewFile(path, path, "ro", how, read)
		if errors.Is(err, errUnfinished) {
			return viewCopy(path, how, read)
		}
		return err
	})
}

// explainRead explains why the file of a study cannot be read.
func explainRead(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return inputfile.NotExist("there is no study %s", path)
	}
	return fmt.Errorf("cannot read the study: %w", err)
}

// viewCopy works like view on a copy of a study whose process was killed during a change. SQLite
// rolls the change back in the copy.
func viewCopy(path string, how care, read func(database) error) error {
	failed := func(err error) error {
		return fmt.Errorf("cannot copy the study %s to read it: %w", path, err)
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
	return viewFile(path, duplicate, "rw", how, read)
}

// viewFile works like view on a file, which may be a copy of the study of a path.
func viewFile(path, file, mode string, how care, read func(database) error) (err error) {
	d, err := openDatabase(path, file, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.db.Close()) }()
	wait := 250 // milliseconds
	if how == wholly && inUse(path) != nil {
		wait = 60_000 // storing a large model takes seconds
	}
	// One transaction gives one consistent state.
	if _, err := d.db.Exec(fmt.Sprintf("PRAGMA busy_timeout = %d; BEGIN", wait)); err != nil {
		return d.explain("read", err)
	}
	empty, err := d.isEmpty()
	if err != nil {
		return err
	}
	if empty {
		return neverBegun(path)
	}
	if how == wholly {
		if err := d.checkPages(); err != nil {
			return err
		}
	}
	return read(d)
}

// contents reads everything, or of the model only the file with a name.
func (d database) contents(only string) (*Contents, error) {
	c := &Contents{InUse: inUse(d.path)}
	r, err := d.readRow()
	if err != nil {
		return nil, err
	}
	if c.About, err = r.about(); err != nil {
		return nil, damaged(d.path, err)
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
	c.Best, err = d.files(best, only)
	return c, err
}

func neverBegun(path string) error {
	return fmt.Errorf("the study %s is empty: its search ended before it began", path)
}

// Result returns the results of the search so far, as [search.Run] returns them, without the Note.
// Resumed is 0, and Overhead covers the rounds of all runs.
func (c *Contents) Result() *search.Result {
	r := stage.Summarize(c.About.Settings, c.Trials, c.Rounds)
	if c.Best != nil {
		r.Artifact = c.Best
	}
	r.Plan, r.Stopped = c.Plan, c.stopped()
	return r
}

// Counts holds numbers of trials. Proposed counts those of the strategy.
type Counts struct {
	All      int `json:"all"`
	Proposed int `json:"proposed"`
	Complete int `json:"complete"`
	Failed   int `json:"failed"`
	Running  int `json:"running"`
}

// Counts counts the trials.
func (c *Contents) Counts() Counts {
	n := Counts{All: len(c.Trials), Proposed: len(search.Proposed(c.Trials))}
	for _, t := range c.Trials {
		switch t.State {
		case task.Complete:
			n.Complete++
		case task.Diverged, task.Lost:
			n.Failed++
		case task.Running:
			n.Running++
		}
	}
	return n
}

// RoundSummary describes a round.
type RoundSummary struct {
	Number   int `json:"number"`
	Proposed int `json:"proposed"`
	Repeats  int `json:"repeats"`
	// BestScore is the best score up to this round, nil before the first result. BestMRR is nil
	// if the task has another metric.
	BestScore *float64 `json:"best_score"`
	BestMRR   *float64 `json:"best_mrr"`
	// Choosing is the time of the filter, the predictor and the strategy, Training that of the
	// trials, in seconds.
	Choosing float64 `json:"choosing"`
	Training float64 `json:"training"`
}

// Summaries describes the rounds in order.
func (c *Contents) Summaries(p task.Presentation) []RoundSummary {
	all := []RoundSummary{}
	var best *float64
	for _, r := range c.Rounds {
		s := RoundSummary{
			Number: r.Number, Proposed: r.Proposed, Repeats: r.Repeats, Choosing: r.Seconds,
		}
		for _, t := range c.Trials {
			if t.Round != r.Number {
				continue
			}
			s.Training += t.Seconds
			scored := t.State == task.Complete && t.Stage != task.HalvingRung
			if scored && (best == nil || *t.Score > *best) {
				best = t.Score
			}
		}
		s.BestScore, s.BestMRR = best, mrr(p, best)
		all = append(all, s)
	}
	return all
}

// mrr returns the score if the metric of the task is the MRR, else nil.
func mrr(p task.Presentation, score *float64) *float64 {
	if p.Metric != "MRR" {
		return nil
	}
	return score
}

// Description holds the contents of the model.json of a stored model.
type Description struct {
	Form      form.Form            `json:"form,omitzero"` // omitted for bilinear models
	Dataset   string               `json:"dataset"`
	Structure *structure.Structure `json:"structure"` // nil for an ensemble
	Dim       int                  `json:"dim"`       // 0 for an ensemble
	Training  json.RawMessage      `json:"training"`
	Valid     json.RawMessage      `json:"valid"`
	Test      json.RawMessage      `json:"test"`
	Members   []string             `json:"members,omitempty"` // of an ensemble
}

// DescriptionOf reads the model.json of an artifact.
func DescriptionOf(a task.Artifact) (d Description, err error) {
	files, err := a.Files()
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(files[modelfolder.Description], &d); err != nil {
		return d, fmt.Errorf("read the description of the model: %w", err)
	}
	return d, nil
}
