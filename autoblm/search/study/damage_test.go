package study

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// small returns a study with rows in every table, and its contents. Its pages have the minimum size,
// so that a few trials make trees of several levels.
func small(t testing.TB) (content []byte, contents *Contents) {
	path := filepath.Join(t.TempDir(), "study.db")
	d, err := openDatabase(path, path, "rwc")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.db.Exec(
		"PRAGMA page_size = 512; VACUUM") // an empty database, as a study is before it begins
	if err := errors.Join(err, d.db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	score := 0.1 + 0.2
	evaluation := &completion.Evaluation{Triples: 3, Both: eval.Metrics{MRR: score, MeanRank: 3.5}}
	details, err := completion.Evaluations{Valid: evaluation, Test: evaluation}.Details()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		change := search.Change{Round: &search.Round{
			Number: round + 1, RandomState: []byte("pcg:0123"), Proposed: 4, Seconds: 0.25,
		}}
		for i, named := range structure.Baselines()[:2] {
			change.Trials = append(change.Trials, task.Trial{
				Number: 2*round + i + 1, Stage: task.Searching, Round: round + 1,
				Structure: named.Structure, State: task.Complete,
				Recipe: task.Recipe{Seed: uint64(round)}, Score: &score, TestScore: &score,
				Details: details, Loss: make([]float64, 4), Seconds: 0.5,
			})
		}
		if err := s.Put(change); err != nil {
			t.Fatal(err)
		}
	}
	g, quate := enginetest.Graph(), structure.MustParse("quate")
	best := &kge.Model{
		Parameters: kge.Initialize(completion.Data(g), kge.Settings{Dim: 4, InitScale: 0.1},
			kge.Member{Structure: quate, Seed: 1}), Dataset: g.Name,
		EntityLabels: g.Entities, RelationLabels: g.Relations,
	}
	if err := s.Put(search.Change{Best: best, Artifacts: map[int]task.Artifact{2: secondArtifact, 5: best}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if content, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if contents, err = Read(path); err != nil {
		t.Fatal(err)
	}
	return content, contents
}

// secondArtifact is the artifact of the second trial of a small study.
var secondArtifact = task.Files{"model.json": []byte("{}"), "table": {0, 1, 2, 3, 255}}

// places is the number of damaged places that are tried at once. A call of the fuzz target has a high
// fixed cost.
const places = 8

// FuzzDamage damages a study at random. Reading and opening it must return the original contents, or
// fail with one line and leave the file unchanged. Numbers describe the damage, because minimizing
// bytes would take most of the time.
func FuzzDamage(f *testing.F) {
	content, want := small(f)
	rng := rand.New(rand.NewPCG(1, 2))
	length := uint(len(content))
	f.Add(uint(0), uint(0), uint64(0), false, length)                      // no damage
	f.Add(uint(0), uint(0), uint64(0), false, uint(0))                     // nothing there
	f.Add(uint(0), uint(512), ^uint64(0), false, length)                   // the first page, and others
	f.Add(uint(18), uint(2), uint64(0x0303), false, length)                // the kind of journal
	f.Add(uint(28), uint(4), uint64(0x03000000), false, length)            // the number of pages
	f.Add(uint(68), uint(1), uint64(1), false, length)                     // the program
	f.Add(uint(512), uint(512), uint64(0x5555555555555555), false, length) // a page
	for range 10 {
		f.Add(uint(rng.IntN(len(content))), uint(1), uint64(1<<rng.IntN(8)), false, length)   // a bit
		f.Add(uint(rng.IntN(512)), uint(1), uint64(1<<rng.IntN(8)), false, length)            // where each counts
		f.Add(uint(rng.IntN(len(content))), uint(1+rng.IntN(64)), rng.Uint64(), true, length) // bytes
		f.Add(uint(rng.IntN(len(content))), uint(1+rng.IntN(8)), rng.Uint64(), false, length) // a few
		f.Add(uint(0), uint(0), uint64(0), false, uint(rng.IntN(len(content))))               // a file cut short
		f.Add(512*uint(rng.IntN(len(content)/512)), uint(512), rng.Uint64(), true, length)    // a page
	}
	path := filepath.Join(folderInMemory(f), "study.db")
	f.Fuzz(func(t *testing.T, at, count uint, change uint64, drawn bool, length uint) {
		for place := range uint64(places) {
			further := place * uint64(len(content)) / places
			damaged := bytes.Clone(content)
			noise := rand.New(rand.NewPCG(change, place))
			for i := range min(uint64(count), uint64(len(damaged))) {
				b := byte(change >> (i % 8 * 8))
				if drawn {
					b = byte(noise.Uint32())
				}
				damaged[(uint64(at)+further+i)%uint64(len(damaged))] ^= b
			}
			if uint64(length) < uint64(len(damaged)) {
				damaged = damaged[:(uint64(length)+further)%uint64(len(damaged))]
			}
			if !checkDamaged(t, path, damaged, want) {
				t.Fatalf("the damage at place %d of at %d, count %d, change %#x, drawn %v, length %d", place,
					at, count, change, drawn, length)
			}
		}
	})
}

// checkDamaged writes a damaged study and checks that reading and opening it are correct.
func checkDamaged(t *testing.T, path string, damaged []byte, want *Contents) bool {
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path + "-journal")
	untouched := func(doing string, err error) {
		if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: the error %q is not one line that names the study", doing, err)
		}
		if !reflect.DeepEqual(files(t, path), map[string]string{path: string(damaged)}) {
			t.Errorf("%s changed the files (%v)", doing, err)
		}
	}
	got, err := Read(path)
	untouched("read", err)
	if err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("a damaged study was read as %+v, which was %+v", got, want)
	}
	s, err := Open(path, want.About)
	if err != nil {
		untouched("open", err)
		return !t.Failed()
	}
	defer s.Close()
	trials, trialError := s.Trials()
	rounds, roundError := s.Rounds()
	best, bestError := s.Best()
	left, leftError := s.Artifact(2)
	if trialError != nil || roundError != nil || bestError != nil || leftError != nil ||
		len(damaged) == 0 {
		return !t.Failed() // a search ends before it writes, or there is a new study
	}
	if left != nil && !reflect.DeepEqual(left, task.Artifact(secondArtifact)) {
		t.Errorf("of a damaged study a trial has left %v", left)
	}
	if !reflect.DeepEqual(trials, want.Trials) || !reflect.DeepEqual(rounds, want.Rounds) ||
		!reflect.DeepEqual(best, want.Best) {
		t.Errorf("a damaged study was opened as %+v, %+v", trials, rounds)
	}
	return !t.Failed()
}

// folderInMemory returns a temporary folder, in memory if the system supports it.
func folderInMemory(t testing.TB) string {
	folder, err := os.MkdirTemp("/dev/shm", "autoblm-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// TestSpentJournal checks that Close removes a journal with nothing to roll back, which a killed process
// leaves, also if the study is unchanged.
func TestSpentJournal(t *testing.T) {
	content, want := small(t)
	path := filepath.Join(t.TempDir(), "study.db")
	for name, b := range map[string][]byte{path: content, path + "-journal": make([]byte, 4096)} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(path, want.About)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, path); len(left) != 1 || left[path] != string(content) {
		t.Errorf("%d files are left, or the study is another", len(left))
	}
}

// TestLostRounds checks that missing rounds are detected.
func TestLostRounds(t *testing.T) {
	content, want := small(t)
	path := filepath.Join(t.TempDir(), "study.db")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := openDatabase(path, path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.db.Exec("DELETE FROM rounds WHERE number > 1")
	if err := errors.Join(err, d.db.Close()); err != nil {
		t.Fatal(err)
	}
	const lost = "it has 1 rounds but trials of round 3"
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), lost) {
		t.Errorf("read: %v", err)
	}
	s, err := Open(path, want.About)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Rounds(); err == nil || !strings.Contains(err.Error(), lost) {
		t.Errorf("opened: %v", err)
	}
}

func TestFullDisk(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "study.db"), describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := task.Trial{Number: 1, Structure: structure.MustParse("complex"), State: task.Running}
	if err := s.Put(search.Change{Trials: []task.Trial{kept}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 1"); err != nil { // no file may grow any more
		t.Fatal(err)
	}
	large := task.Trial{
		Number: 2, Structure: structure.MustParse("simple"), Loss: make([]float64, 100_000),
	}
	if err := s.Put(search.Change{Trials: []task.Trial{large}}); err == nil ||
		!strings.Contains(err.Error(), "disk is full") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v, which should say in one line that the disk is full", err)
	}
	trials, err := s.Trials()
	if err != nil || len(trials) != 1 || trials[0].Number != 1 {
		t.Errorf("what was there before: %+v, %v", trials, err)
	}
}

// TestArtifacts checks that artifacts of trials are stored by number and replaced as a whole.
func TestArtifacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	put := func(left map[int]task.Artifact) {
		t.Helper()
		s, err := Open(path, describe())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Put(search.Change{Artifacts: left}), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	one := task.Files{"a": []byte("1"), "b": {}}
	two, three := task.Files{"a": []byte("2")}, task.Files{"c": []byte("3")}
	put(map[int]task.Artifact{7: one, 9: two})
	put(map[int]task.Artifact{7: three})
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for trial, want := range map[int]task.Artifact{7: three, 8: nil, 9: two} {
		if got, err := s.Artifact(trial); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("trial %d has left %v, %v; want %v", trial, got, err, want)
		}
	}
	if best, err := s.Best(); best != nil || err != nil {
		t.Errorf("the best is %v, %v", best, err)
	}
	if _, err := s.db.Exec("UPDATE artifacts SET trial = 8 WHERE trial = 9"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Artifact(8); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("what another trial has left is taken: %v", err)
	}
}
