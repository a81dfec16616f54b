//go:build linux

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// outcome holds the files that a command wrote, by name, and its printed output. The contents
// are canonical: they do not depend on time and place.
type outcome map[string]string

// printed is the name of the printed output in an [outcome].
const printed = "(printed)"

// readOutcome reads the output of a scenario in a folder.
func readOutcome(folder string, s scenario, stdout []byte) (outcome, error) {
	o := outcome{}
	if stdout != nil {
		o[printed] = canonical("stdout.json", stdout, folder)
	}
	err := walkOutputs(folder, s, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() {
			return nil
		}
		var err error
		path := filepath.Join(folder, name)
		if filepath.Ext(path) == ".db" {
			o[name], err = canonicalStudy(path)
			return err
		}
		content, err := os.ReadFile(path)
		o[name] = canonical(name, content, folder)
		return err
	})
	return o, err
}

// walkOutputs visits the files and folders that a scenario wrote, by their names in a folder.
func walkOutputs(
	folder string, s scenario, visit func(name string, entry fs.DirEntry) error,
) error {
	for _, output := range s.outputs {
		walk := func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			return visit(name, entry)
		}
		err := filepath.WalkDir(filepath.Join(folder, output), walk)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// canonical removes times and the name of the folder from the content of a file.
func canonical(name string, content []byte, folder string) string {
	content = bytes.ReplaceAll(content, []byte(folder), []byte("FOLDER"))
	switch filepath.Ext(name) {
	case ".json":
		var value any
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.UseNumber()
		if decoder.Decode(&value) == nil {
			text, _ := json.Marshal(withoutTimes(value))
			return string(text)
		}
	case ".csv":
		rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil || len(rows) == 0 {
			break
		}
		if seconds := slices.Index(rows[0], "seconds"); seconds >= 0 {
			for _, row := range rows[1:] {
				row[seconds] = ""
			}
		}
		return fmt.Sprintf("%q", rows)
	}
	return string(content)
}

// volatileKeys are the JSON keys whose values differ between runs.
var volatileKeys = []string{
	"seconds", "overhead", "choosing", "source", "machine", "date", "versions", "resumed",
	"timing", "checksums", "model_sha256", "command",
}

// withoutTimes removes the values that differ between runs from a JSON value.
func withoutTimes(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			_, isNumber := inner.(json.Number)
			if slices.Contains(volatileKeys, key) || key == "training" && isNumber { // seconds
				delete(v, key)
			} else {
				v[key] = withoutTimes(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutTimes(v[i])
		}
	}
	return value
}

// canonicalStudy returns the content of a study without times.
func canonicalStudy(path string) (string, error) {
	contents, err := study.Read(path)
	if err != nil {
		return "", err
	}
	trials, err := json.Marshal(map[string]any{
		"about": contents.About, "trials": contents.Trials, "rounds": contents.Rounds,
	})
	if err != nil {
		return "", err
	}
	text := canonical("trials.json", trials, filepath.Dir(path))
	for _, name := range slices.Sorted(maps.Keys(contents.Best)) {
		best := canonical(name, contents.Best[name], filepath.Dir(path))
		text += fmt.Sprintf("\n%s %q", name, best)
	}
	return text, nil
}

// difference describes how an outcome differs from the expected one, or returns "". A volatile
// file must exist in both.
func (o outcome) difference(want outcome, volatile map[string]bool) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, exists := o[name]
		switch {
		case !exists:
			return name + " is missing"
		case got != want[name] && !volatile[name]:
			at := 0
			for at < min(len(got), len(want[name])) && got[at] == want[name][at] {
				at++
			}
			near := func(text string) string {
				return text[max(0, min(at-60, len(text))):min(len(text), at+60)]
			}
			return fmt.Sprintf("%s differs from byte %d: %q, undisturbed %q",
				name, at, near(got), near(want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if _, wanted := want[name]; !wanted {
			return name + " should not exist"
		}
	}
	return ""
}

// leftover returns the name of a file that only unfinished work needs, or "".
func (o outcome) leftover() string {
	parts := []string{"training", "ranking-", ".before", ".next", ".autoblm-", "-journal"}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		base := filepath.Base(name)
		if base == "training-state" { // which a finished training keeps, to continue later
			continue
		}
		for _, part := range parts {
			if strings.Contains(base, part) {
				return name
			}
		}
	}
	return ""
}
