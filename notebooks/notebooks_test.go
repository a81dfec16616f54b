package notebooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notebook has the parts of the notebook format 4.5 that the notebooks use.
type notebook struct {
	Cells    []cell `json:"cells"`
	Metadata struct {
		Kernel   kernel         `json:"kernelspec"`
		Language map[string]any `json:"language_info"`
		Outputs  *struct {
			Code string `json:"code"` // SHA-256 of the code of the outputs
		} `json:"autoblm"`
	} `json:"metadata"`
	Major int `json:"nbformat"`
	Minor int `json:"nbformat_minor"`
}

type kernel struct {
	Title    string `json:"display_name"`
	Language string `json:"language"`
	Name     string `json:"name"`
}

type cell struct {
	Type     string           `json:"cell_type"`
	ID       string           `json:"id"`
	Metadata map[string]any   `json:"metadata"`
	Source   []string         `json:"source"`
	Count    *json.RawMessage `json:"execution_count,omitempty"`
	Outputs  *[]output        `json:"outputs,omitempty"`
}

type output struct {
	Type      string                     `json:"output_type"`
	Data      map[string]json.RawMessage `json:"data"`
	Metadata  map[string]any             `json:"metadata"`
	Name      string                     `json:"name"`
	Text      json.RawMessage            `json:"text"`
	Count     *int                       `json:"execution_count"`
	Error     string                     `json:"ename"`
	Value     string                     `json:"evalue"`
	Traceback []string                   `json:"traceback"`
}

func (c cell) text() string { return strings.Join(c.Source, "") }

// isExecuted reports whether the notebook has outputs.
func (n notebook) isExecuted() bool { return n.Metadata.Outputs != nil }

func all(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks here: %v", err)
	}
	return paths
}

func read(t *testing.T, path string) notebook {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var n notebook
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}

var (
	cellID      = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	machinePath = regexp.MustCompile(`(^|[\s"'(=])(/(home|root|Users|tmp|var|opt|mnt|usr)/|[A-Z]:\\)`)
)

// TestFormat checks the format and that versions have readable differences.
func TestFormat(t *testing.T) {
	for _, path := range all(t) {
		n := read(t, path)
		if n.Major != 4 || n.Minor != 5 {
			t.Errorf("%s has the notebook format %d.%d: save it as 4.5", path, n.Major, n.Minor)
		}
		if want := (kernel{"AutoBLM (Go, CPU)", "go", "autoblm-cpu"}); n.Metadata.Kernel != want {
			t.Errorf("%s is for the kernel %v: choose %v", path, n.Metadata.Kernel, want)
		}
		seen := map[string]bool{}
		for i, c := range n.Cells {
			if !cellID.MatchString(c.ID) || seen[c.ID] {
				t.Errorf("%s, cell %d: the id %q is missing, invalid or not unique", path, i+1, c.ID)
			}
			seen[c.ID] = true
			if len(c.Metadata) > 0 {
				t.Errorf("%s, cell %d: unneeded metadata %v", path, i+1, c.Metadata)
			}
			if c.text() != strings.TrimSpace(c.text()) || c.text() == "" {
				t.Errorf("%s, cell %d: empty, or with blank lines around its text", path, i+1)
			}
			if found := machinePath.FindString(c.text()); found != "" {
				t.Errorf("%s, cell %d: %q is a path on one machine", path, i+1, strings.TrimSpace(found))
			}
			switch c.Type {
			case "markdown":
				if c.Outputs != nil || c.Count != nil {
					t.Errorf("%s, cell %d: a text with outputs", path, i+1)
				}
			case "code":
				checkCode(t, path, i+1, c)
			default:
				t.Errorf("%s, cell %d: of type %q", path, i+1, c.Type)
			}
		}
	}
}

// maxWidth is the number of characters of a line that Jupyter shows.
const maxWidth = 120

func checkCode(t *testing.T, path string, number int, c cell) {
	t.Helper()
	if c.Outputs == nil {
		t.Errorf("%s, cell %d: no list of outputs", path, number)
	}
	for line := range strings.Lines(c.text()) {
		width := len([]rune(strings.ReplaceAll(line, "\t", "        ")))
		if width > maxWidth {
			t.Errorf("%s, cell %d: a line of %d characters, want at most %d",
				path, number, width, maxWidth)
		}
	}
	if strings.HasPrefix(c.text(), "%%bash") || strings.HasPrefix(c.text(), "!") {
		return
	}
	declarations, statements, _ := strings.Cut(c.text(), "%%\n")
	for _, part := range []string{declarations, statements} {
		part = strings.TrimSpace(part)
		if formatted, err := format.Source([]byte(part)); err != nil {
			t.Errorf("%s, cell %d: %v", path, number, err)
		} else if part != strings.TrimSpace(string(formatted)) {
			t.Errorf("%s, cell %d: not formatted:\n%s", path, number, formatted)
		}
	}
}

// maxSize is the maximum size of a notebook in bytes.
const maxSize = 1 << 20

// maxLines is the maximum number of lines of a cell.
const maxLines = 40

// TestOutputs checks that outputs belong to the current code, executed once in order, and name no
// paths of a machine. A notebook may have no outputs.
func TestOutputs(t *testing.T) {
	for _, path := range all(t) {
		n := read(t, path)
		if info, err := os.Stat(path); err != nil || info.Size() > maxSize {
			t.Errorf("%s is larger than %d bytes, %v", path, maxSize, err)
		}
		count, code := 0, sha256.New()
		for i, c := range n.Cells {
			if c.Type != "code" {
				continue
			}
			count++
			fmt.Fprintf(code, "%d\n%s", len(c.text()), c.text())
			if !n.isExecuted() {
				if c.Count != nil || len(*c.Outputs) > 0 {
					t.Errorf("%s, cell %d: outputs without a checksum of their code:"+
						" python3 kernels/execute.py --write notebooks/%s", path, i+1, path)
				}
				continue
			}
			if c.Count == nil || string(*c.Count) != fmt.Sprint(count) {
				t.Errorf("%s, cell %d: not executed in order", path, i+1)
			}
			if lines := strings.Count(c.text(), "\n") + 1; lines > maxLines {
				t.Errorf("%s, cell %d: %d lines, want at most %d", path, i+1, lines, maxLines)
			}
			for _, o := range *c.Outputs {
				checkOutput(t, fmt.Sprintf("%s, cell %d", path, i+1), o)
			}
		}
		if n.isExecuted() && n.Metadata.Outputs.Code != hex.EncodeToString(code.Sum(nil)) {
			t.Errorf("%s has outputs of other code:"+
				" python3 kernels/execute.py --write notebooks/%[1]s", path)
		}
	}
}

func checkOutput(t *testing.T, place string, o output) {
	t.Helper()
	if o.Type == "error" || o.Name == "stderr" {
		t.Errorf("%s: an error or a message: %s %s %s", place, o.Error, o.Value, o.Text)
	}
	text := string(o.Text)
	for kind, value := range o.Data {
		if strings.HasPrefix(kind, "text/") {
			text += string(value)
		}
	}
	if found := machinePath.FindString(text); found != "" {
		t.Errorf("%s: its output has %q, a path on one machine", place, strings.TrimSpace(found))
	}
}

// The notebooks without results of the paper.
const (
	quickStart = "01_quickstart.ipynb"
	ownData    = "09_own_data.ipynb"
	cluster    = "10_cluster_and_devices.ipynb"
)

// TestSections checks the title and the last section, and that the quick start has five cells of
// code.
func TestSections(t *testing.T) {
	for _, path := range all(t) {
		n := read(t, path)
		if !strings.HasPrefix(n.Cells[0].text(), "# ") {
			t.Errorf("%s does not begin with a title", path)
		}
		last := ""
		for _, c := range n.Cells {
			for line := range strings.Lines(c.text()) {
				if c.Type == "markdown" && strings.HasPrefix(line, "## ") {
					last = strings.TrimSpace(line)
				}
			}
		}
		if path == quickStart {
			if code := countCode(n); code != 5 {
				t.Errorf("%s has %d cells of code, want 5", path, code)
			}
			continue
		}
		if want := "## What the paper reports, what we measured"; path != ownData && path != cluster && last != want {
			t.Errorf("the last section of %s is %q, want %q", path, last, want)
		}
	}
}

func countCode(n notebook) (code int) {
	for _, c := range n.Cells {
		if c.Type == "code" {
			code++
		}
	}
	return code
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// TestLinks checks that linked files exist.
func TestLinks(t *testing.T) {
	for _, path := range all(t) {
		for _, c := range read(t, path).Cells {
			if c.Type != "markdown" {
				continue
			}
			for _, match := range link.FindAllStringSubmatch(c.text(), -1) {
				if _, err := os.Stat(filepath.FromSlash(match[1])); err != nil {
					t.Errorf("%s points to %s: %v", path, match[1], err)
				}
			}
		}
	}
}

// TestNotebooksAreMovable checks that no cell reads files next to its notebook.
func TestNotebooksAreMovable(t *testing.T) {
	relative := regexp.MustCompile(`"(\.\./|results\b)[^"]*"`)
	for _, path := range all(t) {
		for i, c := range read(t, path).Cells {
			if c.Type != "code" {
				continue
			}
			for _, found := range relative.FindAllString(c.text(), -1) {
				if found != `"results.json"` { // the notebook writes it
					t.Errorf("%s, cell %d names %s: use show.Library or show.Results", path, i+1, found)
				}
			}
		}
	}
}
