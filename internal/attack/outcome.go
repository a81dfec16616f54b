//go:build linux

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets"
)

// outcome is what a command came to: its files by name, in a form that is the same
// whenever and wherever it ran, and what it printed as "(printed)".
type outcome map[string]string

const printed = "(printed)"

// outcomeOf reads all that a command made in a folder.
func outcomeOf(folder string, s scenario, stdout []byte) (outcome, error) {
	o := outcome{}
	if stdout != nil {
		o[printed] = canonical("stdout.json", stdout, folder)
	}
	for _, made := range s.made {
		err := filepath.WalkDir(filepath.Join(folder, made), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			if filepath.Ext(path) == ".db" {
				o[name], err = canonicalStudy(path)
				return err
			}
			content, err := os.ReadFile(path)
			o[name] = canonical(name, content, folder)
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			return o, err
		}
	}
	return o, nil
}

// canonical is what a file holds but for times and its folder.
func canonical(name string, content []byte, folder string) string {
	content = bytes.ReplaceAll(content, []byte(folder), []byte("FOLDER"))
	switch filepath.Ext(name) {
	case ".json":
		var value any
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.UseNumber()
		if decoder.Decode(&value) == nil {
			text, _ := json.Marshal(timeless(value))
			return string(text)
		}
	case ".csv":
		if rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll(); err == nil && len(rows) > 0 {
			seconds := slices.Index(rows[0], "seconds")
			for _, row := range rows[1:] {
				if seconds >= 0 {
					row[seconds] = ""
				}
			}
			return fmt.Sprintf("%q", rows)
		}
	}
	return string(content)
}

// timeless takes out of JSON what is another each time.
func timeless(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			switch key {
			case "seconds", "overhead", "choosing", "source", "machine", "date", "versions", "resumed", "timing", "checksums":
				delete(v, key)
			case "training":
				if _, isNumber := v[key].(json.Number); isNumber { // of seconds
					delete(v, key)
				}
			}
		}
		for key := range v {
			v[key] = timeless(v[key])
		}
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	}
	return value
}

// canonicalStudy is what a study holds but for times.
func canonicalStudy(path string) (string, error) {
	contents, err := study.Read(path)
	if err != nil {
		return "", err
	}
	contents.About.Source = ""
	for i := range contents.Trials {
		contents.Trials[i].Seconds = 0
	}
	for i := range contents.Rounds {
		contents.Rounds[i].Seconds = 0
	}
	trials, err := json.Marshal(map[string]any{"about": contents.About, "trials": contents.Trials, "rounds": contents.Rounds})
	if err != nil {
		return "", err
	}
	text := canonical("trials.json", trials, filepath.Dir(path))
	for _, name := range slices.Sorted(maps.Keys(contents.Best)) {
		text += fmt.Sprintf("\n%s %q", name, canonical(name, contents.Best[name], filepath.Dir(path)))
	}
	return text, nil
}

// difference says how an outcome differs from the one that it should be, "" where it does
// not. What is volatile is there or not, whatever it holds.
func (o outcome) difference(want outcome, volatile map[string]bool) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, there := o[name]
		switch {
		case !there:
			return name + " is missing"
		case got != want[name] && !volatile[name]:
			at := 0
			for at < min(len(got), len(want[name])) && got[at] == want[name][at] {
				at++
			}
			show := func(text string) string { return text[max(0, min(at-60, len(text))):min(len(text), at+60)] }
			return fmt.Sprintf("%s is another from byte %d: %q, left alone %q", name, at, show(got), show(want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if _, wanted := want[name]; !wanted {
			return name + " should not be there"
		}
	}
	return ""
}

// leftover is the name of a file that only a run on its way needs, "" where there is none.
func (o outcome) leftover() string {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		for _, part := range []string{"training", ".before", ".next", ".autoblm-", "-journal"} {
			if strings.Contains(filepath.Base(name), part) {
				return name
			}
		}
	}
	return ""
}

// torn says what in a folder is neither whole nor absent, "" where nothing is. What opens
// as a data set must be all of the data set.
func torn(folder string, s scenario, r *reference) string {
	for _, made := range s.made {
		found := ""
		err := filepath.WalkDir(filepath.Join(folder, made), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(folder, path)
			if err == nil && found == "" {
				if entry.IsDir() {
					found = tornFolder(folder, name, r)
				} else {
					found = tornFile(folder, name, r)
				}
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			return err.Error()
		}
		if found != "" {
			return found
		}
	}
	return ""
}

func tornFolder(folder, name string, r *reference) string {
	path := filepath.Join(folder, name)
	has := func(file string) bool { _, err := os.Stat(filepath.Join(path, file)); return err == nil }
	if has("model.json") {
		_, err := kge.Load(path)
		if has("classes.txt") {
			_, err = classify.Load(path)
		}
		if completion.IsEnsemble(path) {
			_, err = completion.LoadEnsemble(path)
		}
		if err != nil {
			return fmt.Sprintf("the model %s is torn: %v", name, err)
		}
	}
	_, noGraph := datasets.ReadFolder(path)
	_, noQueries := query.ReadFolder(path)
	if noGraph == nil && has("train.txt") || noQueries == nil {
		for file, want := range r.outcome {
			if filepath.Dir(file) != name {
				continue
			}
			if content, err := os.ReadFile(filepath.Join(folder, file)); err != nil || string(content) != want {
				return fmt.Sprintf("the data set %s opens, but is torn: %s is not what it should be (%v)", name, file, err)
			}
		}
	}
	return ""
}

func tornFile(folder, name string, r *reference) string {
	path := filepath.Join(folder, name)
	if strings.HasSuffix(name, ".db") {
		if _, err := study.Read(path); err != nil && !strings.Contains(err.Error(), "ended before it began") {
			return fmt.Sprintf("the study %s is torn: %v", name, err)
		}
		return ""
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	switch filepath.Ext(name) {
	case ".json":
		if !json.Valid(content) {
			return name + " is torn: it is no JSON"
		}
	case ".png":
		if _, err := png.Decode(bytes.NewReader(content)); err != nil {
			return fmt.Sprintf("%s is torn: %v", name, err)
		}
	case ".svg", ".html":
		if end := "</" + filepath.Ext(name)[1:] + ">"; !strings.HasSuffix(strings.TrimSpace(string(content)), end) {
			return name + " is torn: it does not end in " + end
		}
	case ".csv":
		if canonical(name, content, folder) != r.outcome[name] {
			return name + " is torn: it is not what it should be"
		}
	}
	return ""
}
