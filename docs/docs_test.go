// Package docs has the tests of the documents. The commands in them are tested by
// autoblm/cmd/autoblm, and the tables and pictures by notebooks/results.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// generated and logged are documents without a limit: one is made from the commands, and the other
// grows with each measurement.
const (
	generated = "docs/cli.md"
	logged    = "docs/results-log.md"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	tables  = regexp.MustCompile(`(?s)<!-- ([^>]*) -->.*?<!-- end of [^>]* -->`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// documents returns the texts of all documents by their paths from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{
		"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "notebooks/README.md",
		"notebooks/results/README.md",
	}
	for _, page := range pages {
		paths = append(paths, "docs/"+page)
	}
	texts := map[string]string{}
	for _, path := range paths {
		content, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(content)
	}
	return texts
}

// TestDocumentLinks checks that relative links have targets, and that the README links every page.
func TestDocumentLinks(t *testing.T) {
	texts := documents(t)
	linked := map[string]bool{}
	for path, text := range texts {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			file, name, named := strings.Cut(match[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if path == "README.md" {
				linked[target] = true
			}
			content, read := texts[target]
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s links to %s: %v", path, match[1], err)
			} else if named && (!read || !slices.Contains(headings(content), name)) {
				t.Errorf("%s links to %s, which has no such heading", path, match[1])
			}
		}
	}
	for path := range texts {
		if path != "README.md" && !linked[path] {
			t.Errorf("the README has no link to %s", path)
		}
	}
}

// headings returns the anchors that Markdown gives to a document's headings.
func headings(text string) []string {
	var names []string
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := unnamed.ReplaceAllString(strings.ToLower(match[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// TestDocumentLengths checks that documents stay short and begin with what the reader will be able
// to do.
func TestDocumentLengths(t *testing.T) {
	limits := map[string]int{"README.md": 900, "docs/results.md": 1500}
	total := 0
	for path, text := range documents(t) {
		words := len(strings.Fields(text))
		if path == "README.md" { // in which tables of models and results are to be looked up, not read
			words = len(strings.Fields(tables.ReplaceAllString(text, "")))
		}
		if limit, limited := limits[path]; limited && words > limit {
			t.Errorf("%s has %d words, want at most %d", path, words, limit)
		}
		if path == "CHANGELOG.md" {
			for line := range strings.Lines(text) {
				if len([]rune(line)) > 101 {
					t.Errorf("%s has a line of more than 100 columns: %q", path, line)
				}
			}
		}
		if path == generated || path == logged || path != "README.md" && filepath.Dir(path) != "docs" {
			continue
		}
		total += len(strings.Fields(tables.ReplaceAllString(text, ""))) // without marked tables
		if _, after, _ := strings.Cut(text, "\n\n"); path != "README.md" &&
			!strings.HasPrefix(after, "After this page you ") {
			t.Errorf("%s does not begin with what its reader will be able to do", path)
		}
		for line := range strings.Lines(tables.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")) {
			if len([]rune(line)) > 105 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s has a long line: %q", path, line)
			}
		}
	}
	if total > 11750 {
		t.Errorf("the documents have %d words, want at most 11750", total)
	}
}
