//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// faultVariable makes the test binary a program with that fault, in place of autoblm.
const faultVariable = "ATTACK_TEST_FAULT"

func TestMain(m *testing.M) {
	if task := os.Getenv(workerVariable); task != "" {
		targets = []*target{{"faulty", prepareFaulty}}
		os.Exit(workerMain(task))
	}
	if fault := os.Getenv(faultVariable); fault != "" {
		os.Exit(faulty(fault))
	}
	os.Exit(m.Run())
}

// faulty is a program that makes a file of three lines, and goes on with one that was
// begun; "none" is without a fault.
func faulty(fault string) int {
	const begun, made = "out/begun", "out/made.json"
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "autoblm: it failed:", err)
		return 1
	}
	if err := os.MkdirAll("out", 0o755); err != nil {
		return fail(err)
	}
	lines, err := os.ReadFile(begun)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fail(err)
	}
	n := bytes.Count(lines, []byte("\n"))
	if n > 0 && fault == "forgets" {
		n++
	}
	for ; n < 3; n++ {
		lines = fmt.Appendf(lines, "line %d\n", n)
		if err := replace(begun, lines); err != nil {
			return fail(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	text, _ := json.Marshal(string(lines))
	switch fault {
	case "tears":
		_ = os.WriteFile(made, text[:len(text)/2], 0o644)
		time.Sleep(50 * time.Millisecond)
	case "leaves":
		_ = os.WriteFile(fmt.Sprintf("out/%d", os.Getpid()), text, 0o644)
		time.Sleep(50 * time.Millisecond)
		_ = os.Remove(fmt.Sprintf("out/%d", os.Getpid()))
	}
	if err := replace(made, text); err != nil {
		return fail(err)
	}
	if err := os.Remove(begun); err != nil {
		return fail(err)
	}
	if _, err := fmt.Println(string(text)); err != nil && fault != "ignores" {
		return fail(err)
	}
	if fault == "panics" {
		panic("as it was told")
	}
	return 0
}

// replace writes a file whole or not at all.
func replace(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// newHarness attacks the test binary.
func newHarness(t *testing.T, fault string) *harness {
	t.Helper()
	t.Setenv(faultVariable, fault)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, err := openKept(filepath.Join(t.TempDir(), "out"), 1)
	if err != nil {
		t.Fatal(err)
	}
	return &harness{
		seed: 1, work: t.TempDir(), base: &base{folder: t.TempDir()}, program: attacked{own}, kept: k,
		scenarios: []scenario{{name: "faulty", arguments: "make", made: []string{"out"}}},
	}
}

// findings are what was found, in short.
func findings(t *testing.T, h *harness) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.kept.folder, "findings", "*", "repeat.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestKillsFindFaults: a program that loses data is found, with what repeats it, and one
// that does not is not.
func TestKillsFindFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"none": "", "tears": "made.json is torn", "leaves": "should not be there", "forgets": "is another from byte",
	} {
		t.Run(fault, func(t *testing.T) {
			h := newHarness(t, fault)
			p := &part{name: "kills", goal: 25, try: h.pursue}
			if fault != "none" {
				p.goal = 200
			}
			for h.kept.of("kills").Done < p.goal && h.kept.Findings == 0 {
				number, _ := h.kept.next(p)
				kills, err := h.pursue(t.Context(), number)
				if err != nil {
					t.Fatal(err)
				}
				if err := h.kept.add("kills", kills); err != nil {
					t.Fatal(err)
				}
			}
			found := findings(t, h)
			if (want == "") != (found == "") || !strings.Contains(found, want) {
				t.Errorf("after %d kills it found %q, want %q", h.kept.of("kills").Done, found, want)
			}
			if want != "" && (!strings.Contains(found, "--seed 1 --again kills:") || !strings.Contains(found, "autoblm make [")) {
				t.Errorf("%q does not say how to repeat it", found)
			}
		})
	}
}

// TestDisksFindFaults likewise.
func TestDisksFindFaults(t *testing.T) {
	for fault, want := range map[string]string{"none": "", "ignores": "it did not fail"} {
		t.Run(fault, func(t *testing.T) {
			h := newHarness(t, fault)
			for number := range 24 {
				if _, err := h.fill(t.Context(), number); err != nil {
					t.Fatal(err)
				}
			}
			found := findings(t, h)
			if (want == "") != (found == "") || !strings.Contains(found, want) {
				t.Errorf("it found %q, want %q", found, want)
			}
		})
	}
}

// TestCommandsFindFaults likewise.
func TestCommandsFindFaults(t *testing.T) {
	for fault, want := range map[string]string{"none": "", "panics": "a stack trace"} {
		t.Run(fault, func(t *testing.T) {
			h := newHarness(t, fault)
			for _, each := range commandLines {
				if each.reads == "" {
					continue
				}
				path := filepath.Join(h.base.folder, each.reads)
				if err := os.WriteFile(path, []byte("something"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for number := range 6 {
				if _, err := h.invoke(t.Context(), number); err != nil {
					t.Fatal(err)
				}
			}
			if found := findings(t, h); (want == "") != (found == "") || !strings.Contains(found, want) {
				t.Errorf("it found %q, want %q", found, want)
			}
		})
	}
}

// hoard keeps memory from being left out by the compiler.
var hoard []byte

// prepareFaulty is a reader of a number with many a fault.
func prepareFaulty(_, folder string) (*prepared, error) {
	return newPrepared(folder, map[string][]byte{"number.txt": []byte("100 numbers\n")}, func(folder, _ string) error {
		text, err := os.ReadFile(filepath.Join(folder, "number.txt"))
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(text, []byte("100")):
			return nil
		case len(text) == 0:
			panic("an empty file")
		case bytes.HasPrefix(text, []byte("2147483647")):
			hoard = make([]byte, 200<<20)
			return nil
		case bytes.HasPrefix(text, []byte("-1")):
			os.Exit(7) // as the runtime does when the memory is at its end
		case bytes.HasPrefix(text, []byte("0")):
			return inconsistent("none")
		case bytes.HasPrefix(text, []byte("1")):
			return errors.New("a number is missing") // in which file?
		}
		return fmt.Errorf("%s: %q is no number", filepath.Join(folder, "number.txt"), text)
	}), nil
}

// TestInputsFindFaults: all faults of a reader are found, also that it ends the process,
// after which the rest is tried.
func TestInputsFindFaults(t *testing.T) {
	h := newHarness(t, "none")
	fed, err := h.feed(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if fed != inputsAtOnce {
		t.Errorf("%d inputs, want %d", fed, inputsAtOnce)
	}
	kinds := slices.Sorted(func(yield func(string) bool) {
		for kind := range h.kept.alike {
			if !yield(strings.TrimPrefix(kind, "inputs"+targetOf(0).name)) && !yield(kind) {
				return
			}
		}
	})
	all := strings.Join(kinds, "; ")
	for _, want := range []string{"a panic", "it allocated 200 MB", "the process died (exit status 7)", "not consistent", "does not name the file"} {
		if !strings.Contains(all, want) {
			t.Errorf("it found %q, which lacks %q", all, want)
		}
	}
}

// TestCountsAreKept, and are of one seed.
func TestCountsAreKept(t *testing.T) {
	folder := t.TempDir()
	k, err := openKept(folder, 7)
	if err != nil {
		t.Fatal(err)
	}
	p := &part{name: "kills", goal: 12}
	for want := range 2 {
		if number, more := k.next(p); number != want || !more {
			t.Errorf("case %d, %v, want %d", number, more, want)
		}
	}
	if err := errors.Join(k.add("kills", 1500), k.found(finding{part: "kills", what: "a thing"})); err != nil {
		t.Fatal(err)
	}
	k.took(90 * time.Second)
	if k, err = openKept(folder, 7); err != nil {
		t.Fatal(err)
	}
	want := "attack: 1,500 kills, 0 full disks, 0 inputs to readers, 0 through the command, 1 finding, 2 min, seed 7"
	if got := k.line(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, more := k.next(p); more {
		t.Error("the goal is reached, and there is more to do")
	}
	if _, err := openKept(folder, 8); err == nil || !strings.Contains(err.Error(), "seed 7") {
		t.Errorf("another seed: %v", err)
	}
}

// TestMutationsFollowFromTheSeed, and change something.
func TestMutationsFollowFromTheSeed(t *testing.T) {
	content := []byte("12 a\tb\tc\nd\te\tf\n")
	changed := 0
	for seed := range uint64(1000) {
		rng := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
		a, b := mutate(rng(), content), mutate(rng(), content)
		if !bytes.Equal(a, b) {
			t.Fatalf("seed %d: %q and %q", seed, a, b)
		}
		if !bytes.Equal(a, content) {
			changed++
		}
	}
	if changed < 900 || string(content) != "12 a\tb\tc\nd\te\tf\n" {
		t.Errorf("%d of 1000 mutations changed something; the content is %q", changed, content)
	}
}

// TestLeftovers: what a run leaves behind is found also where each run leaves it.
func TestLeftovers(t *testing.T) {
	for name, want := range map[string]string{
		"out/model/model.json": "", "out/study.db": "", "out/search.training.before": "out/search.training.before", "out/.study.db.autoblm-1": "out/.study.db.autoblm-1", "out/training-01": "out/training-01",
	} {
		if got := (outcome{name: "", "out/a.txt": ""}).leftover(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHarmless: no word leads out of the folder.
func TestHarmless(t *testing.T) {
	for word, want := range map[string]string{
		"/etc/x": "etc/x", "//etc": "etc", "--out=/etc": "--out=etc", "--out=//etc": "--out=etc", "../x": "./x", "....//x": "./x", "@/x": "@x", "@//x": "@x", "~/x": "x", "a/../../b": "a/././b",
		"/..//x": "./x", "file:///x": "file:x", "a\x00b": "a\x01b", "1,0;0,-2": "1,0;0,-2", "autoblm+": "autoblm+",
	} {
		if got := harmless(word); got != want {
			t.Errorf("%q became %q, want %q", word, got, want)
		}
	}
}
