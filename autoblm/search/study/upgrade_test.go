package study

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// oldStudies were written by a program of oldVersion. best is the checksum of the best
// model's folder as that program wrote it, file after file in the order of their names; ""
// where there is no model.
var oldStudies = map[string]struct{ task, best string }{
	"finished.db": {"completion", "1e6312c54bcf1d56b6a0418b7793d7faa39b2cd551760817f3109a119b8eae04"},
	"half.db":     {"completion", "d99ed787f87b462bacdcf12b03b0c833fe066121ed43c907fb47074f77cbd663"},
	"killed.db":   {"completion", "7d75d537cbf2e6fb363d7e4819d4511405529ac865a19b77730a155e9374d529"},
	"query.db":    {"query", "b2c936fc33cd53aad7a12e1c5e6da6916c109ccf7736b2a2043d3b019cca94ef"},
	"classify.db": {"classify", ""},
}

// oldStudy is a copy of one.
func oldStudy(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "cmd", "autoblm", "testdata", "frozen", "old", name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOldStudies are read as they are, and upgraded when they are gone on with. Both come
// to the same.
func TestOldStudies(t *testing.T) {
	for name, want := range oldStudies {
		t.Run(name, func(t *testing.T) {
			path := oldStudy(t, name)
			before := files(t, path)
			contents, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(files(t, path), before) {
				t.Error("reading changed the files")
			}
			if contents.About.Task != want.task || len(contents.Trials) == 0 || len(contents.Rounds) == 0 {
				t.Errorf("about %+v, %d trials, %d rounds", contents.About, len(contents.Trials), len(contents.Rounds))
			}
			for _, trial := range contents.Trials {
				checkScores(t, want.task, trial)
			}
			if got := sumOf(contents.Best); got != want.best {
				t.Errorf("the best model has the checksum %q, want %q", got, want.best)
			}

			s, err := Open(path, contents.About)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if h, err := readHeader(path); err != nil || h.version != schemaVersion {
				t.Errorf("after it was opened it has version %d, %v", h.version, err)
			}
			again, err := Read(path)
			if err != nil || !reflect.DeepEqual(again, contents) {
				t.Errorf("upgraded, it has %+v, %v; want %+v", again, err, contents)
			}
			if got, want := schemaOf(t, path), schemaOf(t, newStudy(t)); !reflect.DeepEqual(got, want) {
				t.Errorf("upgraded, it has the columns\n%v, a new one\n%v", got, want)
			}
		})
	}
}

// checkScores compares a trial's scores with what decided before there were any.
func checkScores(t *testing.T, of string, trial task.Trial) {
	t.Helper()
	valid, test := completion.EvaluationsOf(trial.Details).Scores()
	if of == "classify" {
		if trial.State == task.Complete && !bytes.Contains(trial.Details, fmt.Appendf(nil, `"objective":%v`, *trial.Score)) {
			t.Errorf("trial %d has the score %v and the details %s", trial.Number, *trial.Score, trial.Details)
		}
		return
	}
	if (trial.Score == nil) != (trial.State != task.Complete) || !reflect.DeepEqual(trial.Score, valid) || !reflect.DeepEqual(trial.TestScore, test) {
		t.Errorf("trial %+v, whose details are %s", trial, trial.Details)
	}
}

// TestStudiesOfTheBestOnly, which knew no other artifacts, are read as they are, and keep some
// once they are gone on with.
func TestStudiesOfTheBestOnly(t *testing.T) {
	content, want := small(t)
	path := filepath.Join(t.TempDir(), "study.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := openDatabase(path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("DROP TABLE artifacts; PRAGMA user_version = 5")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	before := files(t, path)
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(files(t, path), before) {
		t.Errorf("read: %+v, %v; want %+v, and an unchanged file", got, err, want)
	}
	s, err := Open(path, want.About)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := s.Artifact(2); left != nil || err != nil {
		t.Errorf("a trial has left %v, %v", left, err)
	}
	if err := s.Put(search.Change{Artifacts: map[int]task.Artifact{2: leftBehind}}); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Artifact(2); !reflect.DeepEqual(left, task.Artifact(leftBehind)) || err != nil {
		t.Errorf("a trial has left %v, %v", left, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := schemaOf(t, path), schemaOf(t, newStudy(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("upgraded, it has the columns\n%v, a new one\n%v", got, want)
	}
}

// sumOf is the checksum of the files of a model one after the other, "" for none.
func sumOf(model task.Files) string {
	if model == nil {
		return ""
	}
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(model)) {
		hash.Write(model[name])
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// newStudy is the path of one that has begun.
func newStudy(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new.db")
	s, err := Open(path, describe())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// schemaOf are the columns of the tables of a study.
func schemaOf(t *testing.T, path string) (columns []string) {
	t.Helper()
	db, err := openDatabase(path, "ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT t.name || ' ' || c.name || ' ' || c.type || ' ' || c.pk FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, column)
	}
	return columns
}

// TestDamagedOldStudies are not taken for others: not read, and not upgraded.
func TestDamagedOldStudies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	path := oldStudy(t, "query.db")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 60 {
		damaged, at := bytes.Clone(whole), rng.IntN(len(whole))
		damaged[at] ^= byte(1 + rng.IntN(255))
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err == nil && !reflect.DeepEqual(got, want) || err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("%d: with byte %d damaged: %+v, %v", n, at, got, err)
		}
		s, err := Open(path, want.About)
		if err != nil {
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
				t.Fatalf("%d: with byte %d damaged the file was changed (%v)", n, at, err)
			}
			continue
		}
		s.Close()
		if got, err = Read(path); err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: with byte %d damaged it was upgraded to %+v", n, at, got)
		}
	}
}

// TestOldStudyAboutSomethingElse stays as it is.
func TestOldStudyAboutSomethingElse(t *testing.T) {
	path := oldStudy(t, "finished.db")
	before := files(t, path)
	if s, err := Open(path, describe()); err == nil || !strings.Contains(err.Error(), "about another search") {
		s.Close()
		t.Errorf("the error is %v", err)
	}
	if !reflect.DeepEqual(files(t, path), before) {
		t.Error("the file was changed")
	}
}

// TestKilledUpgrade: a process that is killed while it upgrades a study leaves the old one.
func TestKilledUpgrade(t *testing.T) {
	path := oldStudy(t, "finished.db")
	want, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	kill(holder(t, path, upgradeVariable+"=1"))
	if len(files(t, path)[path+"-journal"]) == 0 {
		t.Fatal("the killed process left nothing unfinished: the test does not test")
	}
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read: %+v, %v; want %+v", got, err, want)
	}
	s, err := Open(path, want.About)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("gone on with: %+v, %v; want %+v", got, err, want)
	}
}

// holdUpgrade begins to upgrade a study, and comes as far as that some of it is in the file.
func holdUpgrade(path string) error {
	db, err := openDatabase(path, "rw")
	if err != nil {
		return err
	}
	s := &Study{db: db, path: path}
	if err := s.lock(); err != nil {
		return err
	}
	u, err := s.readOld()
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := u.write(tx); err != nil {
		return err
	}
	return putFiles(tx, map[string][]byte{"large": make([]byte, 10_000_000)}) // more than SQLite's cache takes
}
