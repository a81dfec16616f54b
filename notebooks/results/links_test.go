package results

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks checks that the targets of links exist, including their headings.
func TestLinks(t *testing.T) {
	const root = "../.."
	links := 0
	for _, document := range []string{
		"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/results.md", "docs/results-log.md",
		"notebooks/results/README.md",
	} {
		for _, match := range link.FindAllStringSubmatch(readText(t, filepath.Join(root, document)), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			links++
			path, name, named := strings.Cut(match[1], "#")
			target := filepath.Join(root, document)
			if path != "" {
				target = filepath.Join(root, filepath.Dir(document), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", document, match[1], err)
			} else if named && !slices.Contains(headings(readText(t, target)), name) {
				t.Errorf("%s links to %s, which has no such heading", document, match[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("there are %d links, want at least 50", links)
	}
}

// headings returns the anchors that Markdown gives to a document's headings.
func headings(text string) []string {
	var names []string
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		name := unnamed.ReplaceAllString(strings.ToLower(match[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
