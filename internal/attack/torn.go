//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
)

// torn describes an output of a scenario that is neither complete nor absent, or returns "".
func torn(folder string, s scenario, r *reference) string {
	err := walkOutputs(folder, s, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() {
			return tornFolder(folder, name, r)
		}
		return tornFile(folder, name, r)
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

// tornFolder checks that a model loads, and that a data set that loads is complete.
func tornFolder(folder, name string, r *reference) error {
	path := filepath.Join(folder, name)
	has := func(file string) bool {
		_, err := os.Stat(filepath.Join(path, file))
		return err == nil
	}
	var err error
	switch {
	case !has("model.json"):
	case has("classes.txt"):
		_, err = classify.Load(path)
	default:
		_, err = completion.Load(path)
	}
	if err != nil {
		return fmt.Errorf("the model %s is torn: %w", name, err)
	}
	_, noGraph := datasets.ReadFolder(path)
	_, noQueries := query.ReadFolder(path)
	if (noGraph != nil || !has("train.txt")) && noQueries != nil {
		return nil
	}
	for file, want := range r.outcome {
		if filepath.Dir(file) != name {
			continue
		}
		if content, err := os.ReadFile(filepath.Join(folder, file)); string(content) != want {
			return fmt.Errorf("the data set %s loads but is torn: %s (%v)", name, file, err)
		}
	}
	return nil
}

// tornFile checks that a file is complete, as far as its format shows it.
func tornFile(folder, name string, r *reference) error {
	path := filepath.Join(folder, name)
	torn := func(err error) error { return fmt.Errorf("%s is torn: %w", name, err) }
	if strings.HasSuffix(name, ".db") {
		_, err := study.Read(path)
		if err != nil && !strings.Contains(err.Error(), "ended before it began") {
			return torn(err)
		}
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch filepath.Ext(name) {
	case ".json":
		if !json.Valid(content) {
			return torn(errors.New("no valid JSON"))
		}
	case ".png":
		if _, err := png.Decode(bytes.NewReader(content)); err != nil {
			return torn(err)
		}
	case ".svg", ".html":
		end := "</" + filepath.Ext(name)[1:] + ">"
		if !strings.HasSuffix(strings.TrimSpace(string(content)), end) {
			return torn(fmt.Errorf("it does not end in %s", end))
		}
	case ".csv":
		if canonical(name, content, folder) != r.outcome[name] {
			return torn(errors.New("it differs from the file of an undisturbed run"))
		}
	}
	return nil
}
