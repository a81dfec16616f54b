package dashboard

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/require"
)

// budget is the number of structures of the studies here.
const budget = 3

// trialOf returns a complete trial. Trials 1 and 2 are baselines.
func trialOf(number int) task.Trial {
	proposed := []string{"1,2,0,0;0,3,0,0;0,0,4,0;0,0,0,1", "-1,0,0,2;0,3,0,0;0,0,4,0;2,0,0,1",
		"1,0,0,0;0,2,0,0;0,3,0,4;0,0,4,0"}
	t := task.Trial{
		Number: number, Stage: task.Searching, State: task.Complete, Kept: number == 1,
		Seconds: 0.5, Engine: "cpu", Loss: []float64{3, 2, 1.5},
	}
	switch number {
	case 1, 2:
		t.Name = []string{"complex", "distmult"}[number-1]
		t.Structure = structure.MustParse(t.Name)
	default:
		t.Round, t.Structure = 1, structure.MustParse(proposed[number-3])
	}
	mrr := 0.3 + 0.01*float64(number)
	e := completion.Evaluations{
		Valid: &completion.Evaluation{Triples: 30, Both: eval.Metrics{MRR: mrr, Hits1: 0.2, Hits10: 0.6}},
		Test:  &completion.Evaluation{Triples: 30, Both: eval.Metrics{MRR: mrr - 0.005}},
	}
	t.Score, t.TestScore = e.Scores()
	details, err := e.Details()
	if err != nil {
		panic(err)
	}
	t.Details = details
	return t
}

// openStudy opens a study, which may be new.
func openStudy(path string) (*study.Study, error) {
	settings := search.BasicSettings()
	settings.Budget, settings.Training.Dim = budget, 8
	on := &completion.Task{Graph: enginetest.Graph()}
	about, err := study.Describe(on, strategy.Evolutionary{}, settings)
	if err != nil {
		return nil, err
	}
	return study.Open(path, about)
}

// writeStudy adds the trials with numbers from first to last to a study.
func writeStudy(path string, first, last int) error {
	s, err := openStudy(path)
	if err != nil {
		return err
	}
	for n := first; n <= last && err == nil; n++ {
		err = put(s, n)
	}
	return errors.Join(err, s.Close())
}

func put(s *study.Study, n int) error {
	change := search.Change{Trials: []task.Trial{trialOf(n)}}
	if n == 1 {
		change.Best = task.Files{"model.json": []byte("{}"), "entities.npy": {1, 2, 3}}
	}
	if n == 3 {
		change.Round = &search.Round{Number: 1, RandomState: []byte{1}, Proposed: budget}
	}
	if n == 2+budget {
		change.Stopped = search.BudgetSpent
	}
	return s.Put(change)
}

// folder returns a folder with a finished study, an interrupted one and a damaged one.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	content := []byte{}
	for name, trials := range map[string]int{"done/study.db": 2 + budget, "half.db": 3} {
		path := filepath.Join(dir, name)
		require.NoError(t, writeStudy(path, 1, trials))
		var err error
		if content, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	damaged := content[:len(content)/2]
	require.NoError(t, os.WriteFile(filepath.Join(dir, "damaged.db"), damaged, 0o644))
	return dir
}

// newServer returns a server for the studies of a folder.
func newServer(dir string) *Server {
	return New(Options{Folder: dir, Data: func(_ string, c *study.Contents) report.Data {
		return report.Data{Contents: *c, Presentation: completion.NewPresentation()}
	}})
}

// searchVariable makes the test binary a process that searches with the study of a path. It
// stores the trial of each number that it reads, and ends with its input.
const searchVariable = "AUTOBLM_TEST_SEARCH"

func TestMain(m *testing.M) {
	if path := os.Getenv(searchVariable); path != "" {
		if err := pretendToSearch(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func pretendToSearch(path string) error {
	s, err := openStudy(path)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		var n int
		if _, err := fmt.Scanln(&n); errors.Is(err, io.EOF) {
			return s.Close()
		} else if err != nil {
			return err
		}
		if err := put(s, n); err != nil {
			return err
		}
		fmt.Println("ready")
	}
}

// searcher is a process that searches.
type searcher struct {
	t       *testing.T
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
}

func startSearch(t *testing.T, path string) *searcher {
	t.Helper()
	s := &searcher{t: t, command: exec.Command(os.Args[0])}
	s.command.Env = append(os.Environ(), searchVariable+"="+path)
	s.command.Stderr = os.Stderr
	stdin, inError := s.command.StdinPipe()
	stdout, outError := s.command.StdoutPipe()
	require.NoError(t, errors.Join(inError, outError, s.command.Start()))
	s.stdin, s.stdout = stdin, bufio.NewReader(stdout)
	t.Cleanup(s.kill)
	s.await()
	return s
}

func (s *searcher) await() {
	s.t.Helper()
	if line, err := s.stdout.ReadString('\n'); err != nil || line != "ready\n" {
		s.t.Fatalf("the search says %q, %v", line, err)
	}
}

// store stores a trial.
func (s *searcher) store(n int) {
	s.t.Helper()
	fmt.Fprintln(s.stdin, n)
	s.await()
}

// end ends the search.
func (s *searcher) end() {
	s.t.Helper()
	_ = s.stdin.Close()
	if err := s.command.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *searcher) kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}
