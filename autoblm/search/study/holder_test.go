package study

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// These make the test binary another process that has a study open: it says so
// and then waits to be killed.
const (
	holdVariable    = "AUTOBLM_TEST_HOLD"            // the path of the study
	midwayVariable  = "AUTOBLM_TEST_HOLD_UNFINISHED" // set: in the middle of a change
	busyVariable    = "AUTOBLM_TEST_HOLD_BUSY"       // set: one change after another
	processIsThere  = "there"
	processHasError = "error: "
)

func TestMain(m *testing.M) {
	if path := os.Getenv(holdVariable); path != "" {
		if err := hold(path); err != nil {
			fmt.Println(processHasError + err.Error())
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func hold(path string) error {
	s, err := Open(path, describe())
	if err != nil {
		return err
	}
	if os.Getenv(midwayVariable) != "" {
		tx, err := s.db.Begin()
		if err != nil {
			return err
		}
		// More than SQLite's cache takes, so that some of it is in the file.
		large := task.Trial{
			Number: 2, Structure: structure.MustParse("simple"), Error: strings.Repeat("x", 10_000_000),
		}
		err = errors.Join(putTrial(tx, large), execute(tx, "UPDATE trials SET state = 'changed'"))
		if err != nil {
			return err
		}
	}
	// The parent process kills this one.
	fmt.Println(processIsThere)
	for n := 2; n <= busyTrials && os.Getenv(busyVariable) != ""; n++ {
		t := task.Trial{Number: n, Error: strings.Repeat("x", 50_000), Round: n - 1}
		t.Recipe.Seed = uint64(n)
		round := &search.Round{Number: n - 1, RandomState: []byte{}}
		if err := s.Put(search.Change{Trials: []task.Trial{t}, Round: round}); err != nil {
			return err
		}
	}
	time.Sleep(time.Minute)
	runtime.KeepAlive(s) // its finalizers would unlock the study
	return errors.New("nobody came to end this process")
}

func describe() About {
	on := &completion.Task{Graph: enginetest.Graph()}
	about, err := Describe(on, strategy.Progressive{}, search.BasicSettings())
	if err != nil {
		panic(err)
	}
	return about
}

// holder starts another process that has the study open.
func holder(t *testing.T, path string, environment ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), holdVariable+"="+path), environment...)
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(command) })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != processIsThere {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return command
}

// kill kills a process.
func kill(command *exec.Cmd) {
	_ = command.Process.Kill()
	_ = command.Wait()
}

// begun returns a study with one trial.
func begun(t *testing.T) (path string, trials []task.Trial) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "study.db")
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	trials = []task.Trial{{Number: 1, Structure: structure.MustParse("complex"), State: task.Running}}
	if err := s.Put(search.Change{Trials: trials}); err != nil {
		t.Fatal(err)
	}
	return path, trials
}

// TestInUse checks that the error names the process that has the study, that the study can be read,
// and that it is free when that process is dead.
func TestInUse(t *testing.T) {
	path, trials := begun(t)
	other := holder(t, path)
	_, err := Open(path, describe())
	var taken *InUseError
	if !errors.As(err, &taken) {
		t.Fatalf("open: %v, want an InUseError", err)
	}
	if runtime.GOOS != "windows" {
		if taken.Process != other.Process.Pid ||
			!strings.Contains(err.Error(), fmt.Sprintf("in use by process %d", other.Process.Pid)) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("open: %q, want process %d", err, other.Process.Pid)
		}
		c, err := Read(path)
		if err != nil || !reflect.DeepEqual(c.Trials, trials) || !reflect.DeepEqual(c.InUse, taken) {
			t.Errorf("read: %+v, %v; want %+v and %v", c, err, trials, taken)
		}
	}
	kill(other)
	s, err := Open(path, describe())
	if err != nil {
		t.Fatalf("after the other process was killed: %v", err)
	}
	defer s.Close()
	if got, err := s.Trials(); err != nil || !reflect.DeepEqual(got, trials) {
		t.Errorf("%+v, %v; want %+v", got, err, trials)
	}
}

// busyTrials is the number of trials after those of a busy process.
const busyTrials = 60

// TestReadWhileWritten reads a study while another process changes it.
func TestReadWhileWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SQLite locks the study for the whole search there")
	}
	path, _ := begun(t)
	other := holder(t, path, busyVariable+"=1")
	last, reads := 1, 0
	for deadline := time.Now().Add(time.Minute); last < busyTrials; reads++ {
		if time.Now().After(deadline) {
			t.Fatalf("the other process stored %d of %d trials", last, busyTrials)
		}
		c, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.Trials)
		if n < last || len(c.Rounds) != n-1 || c.InUse == nil ||
			c.InUse.Process != other.Process.Pid {
			t.Fatalf("%d trials after %d, %d rounds, %v", n, last, len(c.Rounds), c.InUse)
		}
		last = n
	}
	t.Logf("%d reads", reads)
	kill(other)
	if c, err := Read(path); err != nil || len(c.Trials) != busyTrials || c.InUse != nil {
		t.Errorf("after the search: %v, %v", err, c.InUse)
	}
}

// TestRevision checks that a revision changes with a change of the study, when a search begins and
// when its process is killed, and at no other time.
func TestRevision(t *testing.T) {
	path, trials := begun(t)
	last := ""
	check := func(what string) {
		t.Helper()
		first, err := Revision(path)
		if err != nil || first == last {
			t.Errorf("%s: the revision is %q as before, %v", what, first, err)
		}
		if again, err := Revision(path); err != nil || again != first {
			t.Errorf("%s: %q, then %q, %v", what, first, again, err)
		}
		last = first
	}
	check("a new study")
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	trials[0].State = task.Complete
	err = errors.Join(s.Put(search.Change{Trials: trials}), s.Close())
	if err != nil {
		t.Fatal(err)
	}
	check("a changed trial")
	other := holder(t, path)
	check("a search")
	kill(other)
	check("an interrupted search")
	if _, err := Revision(path + "x"); err == nil {
		t.Error("a file that does not exist has a revision")
	}
}

// TestSlowReader checks that a change waits for a process that reads.
func TestSlowReader(t *testing.T) {
	path, _ := begun(t)
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	reader, err := openDatabase(path, path, "ro")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.db.Exec("BEGIN; SELECT * FROM trials"); err != nil {
		t.Fatal(err)
	}
	var hasRead atomic.Bool
	time.AfterFunc(200*time.Millisecond, func() {
		hasRead.Store(true)
		_, _ = reader.db.Exec("COMMIT")
	})
	plan := search.Change{Plan: &search.Plan{}}
	if err := s.Put(plan); err != nil || runtime.GOOS != "windows" && !hasRead.Load() {
		t.Errorf("the reader has read: %t, error %v", hasRead.Load(), err)
	}
}

// TestOwnStudyStaysLocked checks that a process keeps its lock when it reads its own study.
func TestOwnStudyStaysLocked(t *testing.T) {
	path, _ := begun(t)
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, openError := Open(path, describe())
	_, readError := Read(path)
	for _, err := range []error{openError, readError} {
		var taken *InUseError
		if !errors.As(err, &taken) || taken.Process != os.Getpid() ||
			!strings.Contains(err.Error(), "this process") {
			t.Errorf("%v, want this process to have the study", err)
		}
	}
	if found, err := Find(filepath.Dir(path)); err != nil ||
		!reflect.DeepEqual(found, []string{path}) {
		t.Errorf("found %v, %v", found, err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), holdVariable+"="+path)
	stdout, err := command.Output()
	if err == nil || !strings.Contains(string(stdout), "in use") {
		t.Errorf("another process got the study: %q, %v", stdout, err)
	}
	if runtime.GOOS != "windows" &&
		!strings.Contains(string(stdout), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("%q does not name this process, %d", stdout, os.Getpid())
	}
}

// TestReadAfterUnfinishedChange reads a study whose process was killed during a change. Read rolls the
// change back in a copy only.
func TestReadAfterUnfinishedChange(t *testing.T) {
	path, trials := begun(t)
	clean := files(t, path)
	kill(holder(t, path, midwayVariable+"=1"))
	left := files(t, path)
	if reflect.DeepEqual(clean[path], left[path]) || len(left[path+"-journal"]) == 0 {
		t.Fatal("the killed process left nothing unfinished: the test does not test")
	}
	contents, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(contents.Trials, trials) {
		t.Errorf("trials %+v, want %+v", contents.Trials, trials)
	}
	if now := files(t, path); !reflect.DeepEqual(now, left) {
		t.Error("reading changed the files")
	}
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := s.Trials(); err != nil || !reflect.DeepEqual(got, trials) {
		t.Errorf("%+v, %v; want %+v", got, err, trials)
	}
}

// files returns the contents of all files in the folder of a study.
func files(t testing.TB, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, entry := range entries {
		name := filepath.Join(filepath.Dir(path), entry.Name())
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		contents[name] = string(content)
	}
	return contents
}
