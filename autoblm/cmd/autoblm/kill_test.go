package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/xlatest"
)

// asProgram makes the test binary behave as the program.
const asProgram = "AUTOBLM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		cli.Main(run)
	}
	status := m.Run()
	_ = os.RemoveAll(outFolder) // of trainings that were told no other
	os.Exit(status)
}

// programOf returns the program as a process.
func programOf(t *testing.T, line ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(os.Args[0], words(line)...)
	command.Env = append(os.Environ(), asProgram+"=1")
	command.Stderr = &bytes.Buffer{}
	return command
}

// startProgram starts the program as a process.
func startProgram(t *testing.T, line ...string) *exec.Cmd {
	t.Helper()
	command := programOf(t, line...)
	must(t, command.Start())
	return command
}

// killsVariable says how often TestKilledSearchesResume kills; 50 take about twenty seconds.
const killsVariable = "AUTOBLM_KILLS"

// TestKilledSearchesResume kills searches at random times: at the start, during writes, and at any
// time. The final studies have the same bits as without kills, except for times.
func TestKilledSearchesResume(t *testing.T) {
	const base = "search --recipe basic --dim 16 --epochs 3 --budget 18 --candidates 16 " +
		"--round-size 4 --parents 4 --seed 3 "
	killed(t, kills(t, 9), []*procedure{
		{line: base + "--algorithm autoblm+ --tune 3 --final 3 --final-dims 16,32 --final-epochs 4"},
		{line: base + "--algorithm autoblm --filter none --predictor one-hot --retrain-seeds 2 " +
			"--ensemble 4"},
		{line: "search --dim 16 --epochs 9 --budget 12 --candidates 16 --round-size 4 --parents 4 " +
			"--tune 4 --retrain-seeds 2 --retrain-dims 16,32 --retrain-epochs 4 --ensemble 6"},
	})
}

// TestKilledSearchesOfOtherTasks does the same for queries and classes.
func TestKilledSearchesOfOtherTasks(t *testing.T) {
	const small = "search --recipe basic --k 2 --budget 14 --candidates 16 --round-size 4 " +
		"--parents 4 --predictor none "
	t.Run("query", func(t *testing.T) {
		killed(t, kills(t, 3), []*procedure{{line: small + "--task query --hops 2 --with 1 --dim 8 " +
			"--epochs 2 --batch 16 --tune 2 --dataset " + queries(t)}})
	})
	t.Run("classify", func(t *testing.T) {
		killed(t, kills(t, 3), []*procedure{{line: small + "--task classify --dim 4 --layers 1 " +
			"--epochs 8 --runs 1 --dataset " + kinds(t, nil)}})
	})
}

// TestKilledSearchesOnXLA does the same for tasks on GoMLX: XLA on the CPU has a fixed order of
// sums.
func TestKilledSearchesOnXLA(t *testing.T) {
	engine := " --engine gomlx --backend " + xlatest.Backend(t)
	const small = "search --recipe basic --k 2 --candidates 16 --round-size 4 --parents 4 "
	t.Run("completion", func(t *testing.T) {
		killed(t, kills(t, 2), []*procedure{{line: small + "--dim 8 --epochs 3 --budget 12 " +
			"--algorithm autoblm+ --dataset " + smallGraph(t), engine: engine}})
	})
	t.Run("classify", func(t *testing.T) {
		killed(t, kills(t, 2), []*procedure{{line: small + "--task classify --dim 4 --layers 1 " +
			"--epochs 8 --runs 1 --budget 8 --predictor none --dataset " + kinds(t, nil),
			engine: engine}})
	})
}

// kills returns the number of kills: the default, or the value of the variable.
func kills(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv(killsVariable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, which should be a number from 1", killsVariable, text)
	}
	return n
}

// killed runs searches without kills, and then with kills.
func killed(t *testing.T, want int, procedures []*procedure) {
	t.Helper()
	for _, p := range procedures {
		file := filepath.Join(t.TempDir(), "study.db")
		began := time.Now()
		object(t, p.command(file))
		p.took = time.Since(began)
		p.alone = timeless(t, file)
	}
	a := assassin{t: t, rng: rand.New(rand.NewPCG(5, 0)), want: want}
	for n := 0; !a.enough(); n++ {
		a.pursue(procedures[n%len(procedures)])
	}
	t.Logf("%d kills of %d searches, %d before the first trial and %d with structures trained",
		a.kills, a.searches, a.early, a.late)
	if !a.bothKinds() {
		t.Error("there should be kills before the first trial and some after")
	}
}

// procedure is a search of a certain kind.
type procedure struct {
	line   string
	engine string         // flags of what computes, which a study does not keep
	took   time.Duration  // when it was left alone
	alone  study.Contents // what it came to
}

func (p *procedure) command(file string) string {
	return p.line + p.engine + " --study " + file + " --out " + filepath.Dir(file) + "/out"
}

// timeless returns the contents of a study without times.
func timeless(t *testing.T, file string) study.Contents {
	t.Helper()
	contents, err := study.Read(file)
	must(t, err)
	for i := range contents.Trials {
		contents.Trials[i].Seconds = 0
	}
	for i := range contents.Rounds {
		contents.Rounds[i].Seconds = 0
	}
	contents.About.Command, contents.Asked.Command = nil, nil // names the file of the study
	return *contents
}

type assassin struct {
	t                     *testing.T
	rng                   *rand.Rand
	want, kills, searches int
	early, late           int // kills before the first trial, and with structures trained
}

// enough reports whether there were enough kills. A busy machine may need a few more.
func (a *assassin) enough() bool {
	return a.kills >= a.want && (a.bothKinds() || a.kills >= 10*a.want)
}

func (a *assassin) bothKinds() bool { return a.early > 0 && a.late > 0 }

// pursue starts a search and kills it until it finishes or there were enough kills.
func (a *assassin) pursue(p *procedure) {
	t := a.t
	t.Helper()
	file := filepath.Join(t.TempDir(), "study.db")
	moments := []func(*exec.Cmd, string, time.Duration){a.asItStarts, a.asItWrites, a.atAnyTime}
	for life := 0; !a.enough(); life++ {
		moment := moments[0] // of the first life
		if life > 0 {
			moment = moments[a.rng.IntN(len(moments))]
		}
		if a.kills >= a.want && a.late == 0 { // a process that compiles for long has trained little by then
			moment = a.towardsTheEnd
		}
		if !a.kill(p, file, moment) {
			break
		}
		a.kills++
		if trials, trained := progress(file); trials == 0 {
			a.early++
		} else if trained > 0 {
			a.late++
		}
	}
	_, resumed := progress(file)
	line := p.command(file)
	if _, err := study.Read(file); err == nil && a.rng.IntN(2) == 0 {
		line = "study resume " + file + p.engine // the study says itself how to go on
	}
	has(t, object(t, line), fields{"resumed": resumed})
	a.searches++
	if got := timeless(t, file); !reflect.DeepEqual(got, p.alone) {
		t.Errorf("after %d kills, %s ended with\n%s, left alone with\n%s", a.kills, p.line,
			asJSON(t, got), asJSON(t, p.alone))
	}
}

// kill runs a search until moment, and returns false if the search finished before.
func (a *assassin) kill(p *procedure, file string,
	moment func(*exec.Cmd, string, time.Duration)) bool {
	command := startProgram(a.t, p.command(file))
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	moment(command, file, p.took)
	_ = command.Process.Kill()
	var exit *exec.ExitError
	switch err := <-ended; {
	case err == nil:
		return false
	case !errors.As(err, &exit) || exit.Exited():
		a.t.Fatalf("the program ended by itself: %v: %s", err, command.Stderr)
	}
	return true
}

func (a *assassin) asItStarts(*exec.Cmd, string, time.Duration) {
	most := 60 * time.Millisecond
	if a.early == 0 { // on a fast machine the first trial is there by then
		most = 2 * time.Millisecond
	}
	time.Sleep(time.Duration(a.rng.Int64N(int64(most))))
}

func (a *assassin) atAnyTime(_ *exec.Cmd, _ string, took time.Duration) {
	time.Sleep(time.Duration(a.rng.Int64N(int64(took))))
}

func (a *assassin) towardsTheEnd(_ *exec.Cmd, _ string, took time.Duration) {
	time.Sleep(took/3 + time.Duration(a.rng.Int64N(int64(took)))/2)
}

// asItWrites waits for some changes of the study or its journal, and then for a moment.
func (a *assassin) asItWrites(_ *exec.Cmd, file string, took time.Duration) {
	deadline := time.Now().Add(took)
	last := ""
	for changes := 1 + a.rng.IntN(12); changes > 0 && time.Now().Before(deadline); {
		if now := stamp(file) + stamp(file+"-journal"); now != last {
			last = now
			changes--
		}
	}
	time.Sleep(time.Duration(a.rng.Int64N(int64(3 * time.Millisecond))))
}

// stamp changes when the file does.
func stamp(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return info.ModTime().String() + strconv.FormatInt(info.Size(), 10)
}

// progress counts all trials of a study, and the finished structures of the strategy.
func progress(file string) (trials, trained int) {
	contents, err := study.Read(file)
	if err != nil { // it was not begun
		return 0, 0
	}
	return len(contents.Trials), contents.Result().Trained
}

func asJSON(t *testing.T, c study.Contents) string {
	t.Helper()
	return asText(t, map[string]any{"about": c.About, "trials": c.Trials, "rounds": c.Rounds})
}
