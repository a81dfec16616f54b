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

// notebook is the notebook format 4.5 as far as notebooks here need it.
type notebook struct {
	Cells    []cell `json:"cells"`
	Metadata struct {
		Kernel   kernel         `json:"kernelspec"`
		Language map[string]any `json:"language_info"`
		Outputs  *struct {
			Code string `json:"code"` // SHA-256 of what the outputs are of
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

// isExecuted says whether the notebook has outputs.
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

// TestForm: what the notebook format asks for, and what keeps differences between
// two versions readable.
func TestForm(t *testing.T) {
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
				t.Errorf("%s, cell %d: the id %q is missing, not allowed, or that of another cell", path, i+1, c.ID)
			}
			seen[c.ID] = true
			if len(c.Metadata) > 0 {
				t.Errorf("%s, cell %d: metadata %v that nothing needs", path, i+1, c.Metadata)
			}
			if c.text() != strings.TrimSpace(c.text()) || c.text() == "" {
				t.Errorf("%s, cell %d: empty, or blank lines around its text", path, i+1)
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

// widest is how many characters of a line Jupyter shows in a window of usual width.
const widest = 120

func checkCode(t *testing.T, path string, number int, c cell) {
	t.Helper()
	if c.Outputs == nil {
		t.Errorf("%s, cell %d: no list of outputs", path, number)
	}
	for line := range strings.Lines(c.text()) {
		if wide := len([]rune(strings.ReplaceAll(line, "\t", "        "))); wide > widest {
			t.Errorf("%s, cell %d: a line of %d characters, at most %d are seen", path, number, wide, widest)
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
			t.Errorf("%s, cell %d: not as gofmt has it:\n%s", path, number, formatted)
		}
	}
}

// largest is how many bytes a notebook may have with its pictures.
const largest = 1 << 20

// longest is how many lines a reader of a notebook with outputs goes through at once.
const longest = 40

// TestOutputs: they are of the code as it is, all of it executed once from above, and nothing
// in them is of one machine. A notebook may have none.
func TestOutputs(t *testing.T) {
	for _, path := range all(t) {
		n := read(t, path)
		if info, err := os.Stat(path); err != nil || info.Size() > largest {
			t.Errorf("%s is larger than %d bytes, %v", path, largest, err)
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
					t.Errorf("%s, cell %d: outputs of which nothing says what code they are of: python3 kernels/execute.py --write notebooks/%s", path, i+1, path)
				}
				continue
			}
			if c.Count == nil || string(*c.Count) != fmt.Sprint(count) {
				t.Errorf("%s, cell %d: not executed in its turn", path, i+1)
			}
			if lines := strings.Count(c.text(), "\n") + 1; lines > longest {
				t.Errorf("%s, cell %d: %d lines, more than the %d that are read at once", path, i+1, lines, longest)
			}
			for _, o := range *c.Outputs {
				checkOutput(t, fmt.Sprintf("%s, cell %d", path, i+1), o)
			}
		}
		if n.isExecuted() && n.Metadata.Outputs.Code != hex.EncodeToString(code.Sum(nil)) {
			t.Errorf("%s has outputs of other code than it has: python3 kernels/execute.py --write notebooks/%[1]s", path)
		}
	}
}

func checkOutput(t *testing.T, place string, o output) {
	t.Helper()
	if o.Type == "error" || o.Name == "stderr" {
		t.Errorf("%s: an error or messages: %s %s %s", place, o.Error, o.Value, o.Text)
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

// TestStory: a title at first, and in the end what the paper says beside what was measured.
func TestStory(t *testing.T) {
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
		if want := "## What the paper reports, what we measured"; last != want {
			t.Errorf("the last section of %s is %q, want %q", path, last, want)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// TestLinks: the files that notebooks point to are there.
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

// TestNotebooksLieAnywhere: no cell reads what lies beside its notebook here.
func TestNotebooksLieAnywhere(t *testing.T) {
	beside := regexp.MustCompile(`"(\.\./|results\b)[^"]*"`)
	for _, path := range all(t) {
		for i, c := range read(t, path).Cells {
			if c.Type != "code" {
				continue
			}
			for _, found := range beside.FindAllString(c.text(), -1) {
				if found != `"results.json"` { // which the notebook itself writes elsewhere
					t.Errorf("%s, cell %d names %s: use show.Library or show.Results", path, i+1, found)
				}
			}
		}
	}
}
