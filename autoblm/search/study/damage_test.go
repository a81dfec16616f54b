package study

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// small is a study that has something in each table.
func small(t testing.TB) (content []byte, contents *Contents) {
	path := filepath.Join(t.TempDir(), "study.db")
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	score := 0.1 + 0.2
	evaluation := &completion.Evaluation{Triples: 3, Both: kge.Metrics{MRR: score, MeanRank: 3.5}}
	details, err := completion.Evaluations{Valid: evaluation, Test: evaluation}.Details()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		change := search.Change{Round: &search.Round{Number: round + 1, RandomState: []byte("pcg:0123"), Proposed: 4, Seconds: 0.25}}
		for i, named := range structure.HumanDesigned() {
			trial := task.Trial{
				Number: 5*round + i + 1, Stage: task.Searching, Round: round + 1, Structure: named.Structure, State: task.Complete,
				Recipe: task.Recipe{Seed: uint64(round)}, Score: &score, TestScore: &score, Details: details, Loss: make([]float64, 20), Seconds: 0.5,
			}
			change.Trials = append(change.Trials, trial)
		}
		if err := s.Put(change); err != nil {
			t.Fatal(err)
		}
	}
	g, quate := enginetest.Graph(), structure.MustParse("quate")
	best := &kge.Model{
		Parameters: kge.Initialize(completion.Data(g), kge.Settings{Dim: 8, InitScale: 0.1}, kge.Member{Structure: quate, Seed: 1}), Dataset: g.Name,
		EntityLabels: g.Entities, RelationLabels: g.Relations,
	}
	if err := s.Put(search.Change{Best: best}); err != nil {
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

// FuzzDamage: of a study that was damaged at random, either all is what it was, or
// reading and opening it are errors in one line that leave the file as it is.
func FuzzDamage(f *testing.F) {
	content, want := small(f)
	rng := rand.New(rand.NewPCG(1, 2))
	some := func(most int) []byte {
		b := make([]byte, 1+rng.IntN(most))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	f.Add(uint(0), []byte{}, uint(len(content)))                     // no damage
	f.Add(uint(0), bytes.Repeat([]byte{0xff}, 4096), uint(1<<20))    // the first page
	f.Add(uint(18), []byte{3, 3}, uint(1<<20))                       // the kind of journal
	f.Add(uint(28), []byte{0, 0, 0, 3}, uint(1<<20))                 // the number of pages
	f.Add(uint(68), []byte{1}, uint(1<<20))                          // the program
	f.Add(uint(4096), bytes.Repeat([]byte{0x55}, 4096), uint(1<<20)) // a page
	for range 40 {
		f.Add(uint(rng.IntN(len(content))), []byte{1 << rng.IntN(8)}, uint(1<<20)) // a bit
		f.Add(uint(rng.IntN(512)), []byte{1 << rng.IntN(8)}, uint(1<<20))          // a bit where each counts
		f.Add(uint(rng.IntN(len(content))), some(64), uint(1<<20))                 // some bytes
		f.Add(uint(0), []byte{}, uint(rng.IntN(len(content))))                     // a file cut short
	}
	f.Fuzz(func(t *testing.T, at uint, change []byte, length uint) {
		damaged := bytes.Clone(content)
		for i, b := range change {
			damaged[(uint64(at)+uint64(i))%uint64(len(damaged))] ^= b
		}
		damaged = damaged[:min(uint64(length), uint64(len(damaged)))]
		path := filepath.Join(t.TempDir(), "study.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		before := files(t, path)
		untouched := func(doing string, err error) {
			if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path)) {
				t.Errorf("%s: the error %q is not one line that names the study", doing, err)
			}
			if !reflect.DeepEqual(files(t, path), before) {
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
			return
		}
		defer s.Close()
		trials, trialError := s.Trials()
		rounds, roundError := s.Rounds()
		best, bestError := s.Best()
		if trialError != nil || roundError != nil || bestError != nil || length == 0 {
			return // a search ends before it writes, or there is a new study
		}
		if !reflect.DeepEqual(trials, want.Trials) || !reflect.DeepEqual(rounds, want.Rounds) || !reflect.DeepEqual(best, want.Best) {
			t.Errorf("a damaged study was opened as %+v, %+v", trials, rounds)
		}
	})
}
