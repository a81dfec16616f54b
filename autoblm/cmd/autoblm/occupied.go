package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// checkFree returns an error if a folder has results or data, which a new result would replace or
// hide, or if another process will write into it. what is the new result.
func checkFree(dir, what string) error {
	if used := atomicfile.Holder(dir); used != nil && used.Process != os.Getpid() {
		return fmt.Errorf("cannot write %s to %s: it is %w; wait for it, or use another --out", what, dir, used)
	}
	if has := contentOf(dir); has != "" {
		return occupied(dir, what, has)
	}
	return nil
}

// occupied returns the error for a folder that has something.
func occupied(dir, what, has string) error {
	return fmt.Errorf("cannot write %s to %s: it has %s; use another --out, or remove it",
		what, dir, has)
}

// contentOf names the data or the results in a folder, "" if it has none.
func contentOf(dir string) string {
	switch {
	case isClosed(dir):
		return "files that cannot be read (permission denied)"
	case hasData(dir):
		return "a data set"
	case isFile(filepath.Join(dir, studyName)):
		return "a search"
	case isFile(filepath.Join(dir, modelfolder.Description)):
		has := "a model (" + describeModel(dir) + ")"
		if len(checkpointsIn(dir)) > 0 {
			has += " of an interrupted training, which its command resumes"
		}
		return has
	case len(checkpointsIn(dir)) > 0:
		return "an interrupted training, which its command resumes"
	}
	return ""
}

// hasData reports whether a folder has data of any task.
func hasData(dir string) bool {
	path, err := filepath.Abs(dir) // since a name may be that of a benchmark
	return err == nil && isFolder(path) &&
		(datasets.HasGraph(path) || slices.ContainsFunc(tasks.All, func(t tasks.Registration) bool {
			return t.Holds != nil && t.Holds(path)
		}))
}

// describeModel describes the model or the ensemble in a folder.
func describeModel(dir string) string {
	var d struct {
		Dataset   string
		Form      form.Form
		Structure *structure.Structure
		Classes   json.RawMessage `json:"fingerprint"` // only a classifier has it
		Dim       int
		Members   []string
	}
	if _, err := modelfolder.Read(dir, &d, func() error { return nil }); err != nil {
		return "damaged"
	}
	name := titleOf(d.Form, d.Structure)
	switch {
	case len(d.Members) > 0:
		name = "ensemble of " + format.Int(len(d.Members))
	case d.Classes != nil:
		name = "classifier"
	}
	if d.Dim > 0 {
		name += fmt.Sprintf(", d %d", d.Dim)
	}
	if d.Dataset != "" {
		name += ", " + d.Dataset
	}
	return name
}
