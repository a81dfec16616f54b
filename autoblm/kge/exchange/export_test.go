package exchange

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// labelled returns a model with labels that formats may confuse, and numbers of all magnitudes.
func labelled() *kge.Model {
	m := &kge.Model{
		Parameters: kge.Parameters{
			Structure: structure.MustParse("1,0;0,2"), Dim: 2, Reciprocal: true,
		},
		EntityLabels: []string{
			"New York", "tab\there", `"quoted"`, `quo"te`, "東京", "a,b;c|d", `back\n\slash`, "0.5", "#",
			"NA", "é", "'", " ends ", "http://example.org/é%20",
		},
		RelationLabels: []string{"located in", "borders"},
	}
	for i := range m.EntityLabels {
		m.Entities = append(m.Entities, float32(i)/3, float32(math.Pow(-10, float64(i-7))))
	}
	m.Relations = []float32{math.MaxFloat32, math.SmallestNonzeroFloat32, -1, 0, 0.1, 1e-30, 16777217, 3}
	return m
}

// python returns a Python with the libraries of the formats, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	program := cmp.Or(os.Getenv("AUTOBLM_PYTHON"), "python3")
	packages := "import gensim, numpy, pyarrow, safetensors"
	if out, err := exec.Command(program, "-c", packages).CombinedOutput(); err != nil {
		t.Skipf("no Python packages: %s needs gensim, numpy, pyarrow and safetensors "+
			"(AUTOBLM_PYTHON names another): %v: %s", program, err, out)
	}
	return program
}

// TestOthersReadExports reads each format with the library that people use for it.
func TestOthersReadExports(t *testing.T) {
	program, dir, m := python(t), t.TempDir(), labelled()
	for _, format := range Formats() {
		if _, err := Export(m, Format(format), filepath.Join(dir, format)); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(program, filepath.Join("testdata", "read.py"), dir)
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	tables := m.LabelledTables()
	count := 0
	for line := range strings.Lines(string(out)) {
		var format, name string
		var labels []string
		var numbers [][]float32
		require.NoError(t, json.Unmarshal([]byte(line), &[]any{&format, &name, &labels, &numbers}))
		count++
		want := tables[slices.IndexFunc(tables, func(t Table) bool { return t.Name == name })]
		if format == string(Word2Vec) {
			if want, err = withWords(want); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(labels, want.Labels) {
			t.Errorf("%s, %s: labels %q, want %q", format, name, labels, want.Labels)
		}
		if got := slices.Concat(numbers...); !slices.Equal(got, want.Numbers) {
			t.Errorf("%s, %s: numbers %v, want %v", format, name, got, want.Numbers)
		}
	}
	if count != 2*len(Formats()) {
		t.Errorf("%d tables", count)
	}
	if relations := tables[1].Labels; relations[2] != "located in_reverse" || len(relations) != 4 {
		t.Errorf("%q", relations)
	}
}

func TestExportErrors(t *testing.T) {
	dir, m := t.TempDir(), labelled()
	_, err := Export(m, "csv", dir)
	require.Error(t, err, "tsv")
	m.EntityLabels[1] = "New_York"
	_, err = Export(m, Word2Vec, dir)
	require.Error(t, err, `"New York" and "New_York"`)
	m.EntityLabels[1] = "\xff"
	_, err = Export(m, Safetensors, dir)
	require.Error(t, err, `the label "\xff" is not UTF-8`)
	m.EntityLabels[1] = "New_York"
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("errors left %v", left)
	}
	mine := filepath.Join(dir, "relations.txt")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o600))
	_, err = Export(m, NumPy, dir)
	require.Error(t, err, mine+" is there already")
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("next to a file of the same name, %v is written", left)
	}
}

// TestReverseLabels exports a model with a relation that has the label of another's reverse.
func TestReverseLabels(t *testing.T) {
	m := labelled()
	m.RelationLabels[1] = m.RelationLabels[0] + "_reverse"
	files, err := Export(m, NumPy, t.TempDir())
	require.NoError(t, err)
	for _, file := range files {
		if filepath.Base(file) != "relations.txt" {
			continue
		}
		content, err := os.ReadFile(file)
		want := "located in\nlocated in_reverse\nlocated in_reverse_\nlocated in_reverse_reverse\n"
		if err != nil || string(content) != want {
			t.Errorf("%q, %v", content, err)
		}
	}
}
