package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/google/go-cmp/cmp"
)

// words splits parts of a command line at spaces.
func words(line []string) []string { return strings.Fields(strings.Join(line, " ")) }

// invoke runs the program with the words of a line, as a shell would.
func invoke(ctx context.Context, line ...string) (status int, stdout, stderr string) {
	var out, messages bytes.Buffer
	status = run(ctx, words(line), &out, &messages)
	return status, out.String(), messages.String()
}

// succeed runs the program, which must succeed, and returns what it prints.
func succeed(t *testing.T, line ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := invoke(t.Context(), line...)
	if status != cli.Done {
		t.Fatalf("%v: exit status %d: %s", line, status, stderr)
	}
	return stdout, stderr
}

// object runs the program with --json and returns the one object it prints.
func object(t *testing.T, line ...string) (o map[string]any) {
	t.Helper()
	stdout, _ := succeed(t, append(line, "--json")...)
	if err := json.Unmarshal([]byte(stdout), &o); err != nil {
		t.Fatalf("%v: %v in %q", line, err, stdout)
	}
	return o
}

// fail runs the program, which must fail without a result. The last line of its messages, which it
// returns, must have a text.
func fail(t *testing.T, status int, text string, line ...string) (stderr string) {
	t.Helper()
	return failIn(t.Context(), t, status, text, line...)
}

// failInterrupted is like fail for a program that is interrupted before it begins.
func failInterrupted(t *testing.T, text string, line ...string) (stderr string) {
	t.Helper()
	return failIn(cancelled(t), t, cli.Failed, text, line...)
}

func failIn(ctx context.Context, t *testing.T, status int, text string, line ...string) string {
	t.Helper()
	got, stdout, stderr := invoke(ctx, line...)
	message := strings.TrimSuffix(stderr, "\n")
	last := message[strings.LastIndexByte(message, '\n')+1:]
	if got != status || stdout != "" || !strings.Contains(last, text) {
		t.Errorf("%v: status %d, want %d; stdout %q; stderr %q, want %q", line, got, status, stdout,
			stderr, text)
	}
	return stderr
}

// refusal is a command that fails with one line, after the warnings of its data.
type refusal struct {
	status     int
	text, line string
}

func refuse(t *testing.T, all []refusal) {
	t.Helper()
	for _, r := range all {
		stderr := fail(t, r.status, r.text, r.line)
		if strings.Count(stderr, "\n")-countWarnings(stderr) != 1 {
			t.Errorf("%s: more than one line: %q", r.line, stderr)
		}
	}
}

// countWarnings counts the warnings, and the hints at more about them.
func countWarnings(stderr string) int {
	return strings.Count(stderr, "autoblm: warning: ") + strings.Count(stderr, "autoblm: --verbose ")
}

// cancelled returns a context that has ended.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// get returns a value in JSON by its path, such as best.0.test_mrr or members.# for a length. It
// returns nil if there is none.
func get(value any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			if key == "#" {
				return float64(len(v))
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// number returns a number in JSON by its path.
func number(t *testing.T, value any, path string) float64 {
	t.Helper()
	n, ok := get(value, path).(float64)
	if !ok {
		t.Fatalf("%s is %v, not a number", path, get(value, path))
	}
	return n
}

// fields are values in JSON by their paths.
type fields map[string]any

// has checks values in JSON.
func has(t *testing.T, o any, want fields) {
	t.Helper()
	for path, value := range want {
		same(t, fmt.Sprintf("%s of %v", path, o), get(o, path), value)
	}
}

// same checks that two values have the same JSON.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	var a, b any
	must(t, json.Unmarshal([]byte(asText(t, got)), &a))
	must(t, json.Unmarshal([]byte(asText(t, want)), &b))
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func asText(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// contains checks that a text has all parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

// flat joins the words of a text, also those of wrapped lines and of columns.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeFile writes a file with its folders and returns its path.
func writeFile(t *testing.T, content string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(content), 0o644))
	return file
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	must(t, err)
	return string(content)
}

func copyFolder(t *testing.T, to, from string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
}

// smallGraph writes a small graph into a folder.
func smallGraph(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	must(t, datasets.WriteFolder(enginetest.Graph(), dir))
	return dir
}

// standIn uses a small graph as the benchmarks.
func standIn(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		must(t, datasets.WriteFolder(enginetest.Graph(), filepath.Join(dir, name)))
	}
	t.Setenv("AUTOBLM_DATA", dir)
}

// quick are the flags of a short training of a structure, quickSearch those of a short search.
const (
	quick       = " --structure simple --dim 8 --epochs 1 "
	quickSearch = " --budget 2 --candidates 4 --round-size 2 --dim 8 --epochs 1 --batch 64 "
)

// searchIn is a search whose folder has the study, and its results in out.
func searchIn(dir, graph string) string {
	return fmt.Sprintf("search --recipe basic --dataset %s --study %s/study.db --out %[2]s/out "+
		"--budget 10 --dim 8 --epochs 2 --batch 64 --candidates 16 --round-size 4 ", graph, dir)
}
